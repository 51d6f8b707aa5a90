/**
 * Known notifications and requests of `app-server` 0.166, and those that are irrelevant to a conversation. The
 * protocol is not stable: anything else is counted as unrecognized, never refused.
 */

/**
 * Known, but irrelevant to a conversation: client files, processes and searches, voice, other platforms, bookkeeping.
 */
const IGNORED = new Set([
  'thread/started',
  'thread/status/changed',
  'thread/readState/changed',
  'thread/archived',
  'thread/deleted',
  'thread/unarchived',
  'thread/attachment/updated',
  'thread/prediction/updated',
  'thread/queue/changed',
  'thread/project/updated',
  'thread/environment/connected',
  'project/changed',
  'skills/changed',
  'hook/started',
  'item/autoApprovalReview/started',
  'item/fileChange/outputDelta',
  'item/reasoning/summaryPartAdded',
  'rawResponse/completed',
  'command/exec/outputDelta',
  'process/outputDelta',
  'process/exited',
  'mcpServer/oauthLogin/completed',
  'mcpServer/event/stream/notification',
  'account/gatewayOAuth/changed',
  'app/list/updated',
  'remoteControl/status/changed',
  'externalAgentConfig/import/progress',
  'externalAgentConfig/import/completed',
  'fs/changed',
  'model/verification',
  'model/safetyBuffering/updated',
  'turn/moderationMetadata',
  'fuzzyFileSearch/sessionUpdated',
  'fuzzyFileSearch/sessionCompleted',
  'windows/worldWritableWarning',
  'windowsSandbox/setupCompleted',
]);

export function isIgnored(method: string): boolean {
  return IGNORED.has(method) || (method.startsWith('thread/realtime/') && method !== 'thread/realtime/error');
}

/** Requests that have their own form here or are answered by the driver. */
const REQUESTS = new Set([
  'item/commandExecution/requestApproval',
  'item/fileChange/requestApproval',
  'item/permissions/requestApproval',
  'item/tool/requestUserInput',
  'mcpServer/elicitation/request',
  'item/tool/call',
  'account/chatgptAuthTokens/refresh',
  'attestation/generate',
  'currentTime/read',
  'applyPatchApproval',
  'execCommandApproval',
]);

export function isKnownRequest(method: string): boolean {
  return REQUESTS.has(method);
}

export const ITEM_TYPES: ReadonlySet<string> = new Set([
  'userMessage',
  'agentMessage',
  'reasoning',
  'plan',
  'commandExecution',
  'fileChange',
  'mcpToolCall',
  'dynamicToolCall',
  'webSearch',
  'collabAgentToolCall',
  'subAgentActivity',
  'imageView',
  'sleep',
  'contextCompaction',
  'enteredReviewMode',
  'exitedReviewMode',
  'imageGeneration',
  'hookPrompt',
  'functionCallOutput',
]);

/** Notifications that only become notices. */
export const NOTICES: ReadonlySet<string> = new Set([
  'warning',
  'guardianWarning',
  'configWarning',
  'deprecationNotice',
  'thread/realtime/error',
  'model/rerouted',
  'modelProvider/authRecoveryStarted',
  'modelProvider/authRecoveryCompleted',
  'autoApprovalReview/strictReviewRequired',
  'item/autoApprovalReview/completed',
  'hook/completed',
  'thread/goal/updated',
  'thread/goal/cleared',
  'thread/reverted',
  'thread/environment/disconnected',
]);
