// The environment in which each real agent talks to a scripted model and to nothing else: the fake of its API,
// its configuration files in the sandbox's home, its environment variables.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findAgent } from '@tugdeck/agents/catalog';
import { agentFolder, type RealAgent } from './agents.ts';
import { cleanEnvironment } from './clean-env.ts';
import { chatCompletions } from './dialects/chat-completions.ts';
import { generateContent } from './dialects/generate-content.ts';
import { responses } from './dialects/responses.ts';
import { startFakeAnthropic } from './fake-anthropic.ts';
import { type FakeModel, startFakeModel } from './fake-model.ts';
import type { Sandbox } from './temp.ts';

export interface AgentWorld {
  readonly fake: FakeModel;
  /** For the agent, or for a program that starts it. */
  readonly environment: Record<string, string>;
}

interface Recipe {
  start(): Promise<FakeModel>;
  /** Files below the home directory. */
  files(url: string, sandbox: Sandbox): Readonly<Record<string, string>>;
  environment(url: string, sandbox: Sandbox): Readonly<Record<string, string>>;
}

const codexConfig = (url: string, project: string): string => `model = "gpt-5.5"
model_provider = "fake"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false
[model_providers.fake]
name = "Fake"
base_url = "${url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
requires_openai_auth = false
[analytics]
enabled = false
[projects."${project}"]
trust_level = "trusted"
`;

const geminiSettings = {
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

const opencodeConfig = (url: string): object => ({
  model: 'fake/fake-model',
  small_model: 'fake/fake-model',
  autoupdate: false,
  share: 'disabled',
  enabled_providers: ['fake'],
  provider: {
    fake: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Fake',
      options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
      models: Object.fromEntries(
        ['fake-model', 'other-model'].map((id) => [
          id,
          {
            name: id === 'fake-model' ? 'Fake Model' : 'Other Model',
            tool_call: true,
            attachment: true,
            reasoning: true,
            modalities: { input: ['text', 'image'], output: ['text'] },
            limit: { context: 128_000, output: 8_192 },
          },
        ]),
      ),
    },
  },
  permission: { bash: 'ask', edit: 'ask' },
});

const codex: Recipe = {
  start: () => startFakeModel(responses),
  files: (url, { project }) => ({ '.codex/config.toml': codexConfig(url, project) }),
  environment: (_url, { home }) => ({ CODEX_HOME: join(home, '.codex'), FAKE_KEY: 'sk-dummy' }),
};

const claude: Recipe = {
  start: startFakeAnthropic,
  files: () => ({}),
  environment: (url, { home }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-dummy',
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    // Otherwise many tools are deferred, and a script cannot call them.
    ENABLE_TOOL_SEARCH: 'false',
    IS_SANDBOX: '1',
  }),
};

const recipes: Readonly<Record<RealAgent, Recipe>> = {
  claude,
  'claude-acp': claude,
  codex,
  'codex-acp': codex,
  gemini: {
    start: () => startFakeModel(generateContent),
    files: () => ({ '.gemini/settings.json': JSON.stringify(geminiSettings) }),
    environment: (url) => ({ GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: url, NO_BROWSER: '1' }),
  },
  opencode: {
    start: () => startFakeModel(chatCompletions),
    files: (url) => ({ '.config/opencode/opencode.json': JSON.stringify(opencodeConfig(url)) }),
    environment: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    }),
  },
};

/** The command line of an agent in the catalog, and the environment that the catalog sets for it. */
export function launchOf(agent: RealAgent): {
  command: string;
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
} {
  const known = findAgent(agent);
  if (!known) throw new Error(`${agent} is not in the catalog`);
  return {
    command: join(agentFolder(agent), known.command),
    args: known.args,
    environment: known.environment ?? {},
  };
}

export async function openAgentWorld(
  agent: RealAgent,
  sandbox: Sandbox,
  extra: Readonly<Record<string, string>> = {},
): Promise<AgentWorld> {
  const recipe = recipes[agent];
  const fake = await recipe.start();
  for (const [path, content] of Object.entries(recipe.files(fake.url, sandbox))) {
    await mkdir(dirname(join(sandbox.home, path)), { recursive: true });
    await writeFile(join(sandbox.home, path), content);
  }
  const environment = cleanEnvironment(sandbox, {
    pathFirst: [agentFolder(agent)],
    extra: { ...recipe.environment(fake.url, sandbox), ...extra },
  });
  return { fake, environment };
}
