/**
 * A copy of the published list of agents that speak the Agent Client Protocol, without those in our catalog. Data only;
 * versions are left out, because the user installs the current one. `registry.ts` in the machine reads a newer list.
 */

/** The day of the copy. */
export const REGISTRY_DAY = '2026-08-20';
/** The published list; only read when the user asks for it. */
export const REGISTRY_URL = 'https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json';

export interface RegistryAgent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly website?: string | undefined;
  /** How it is distributed: an npm package, a Python package, or a program from its website. */
  readonly npm?: string | undefined;
  readonly python?: string | undefined;
  /** The program on the PATH; by default named like the package. */
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export const REGISTRY_AGENTS: readonly RegistryAgent[] = [
  {
    id: 'amp-acp',
    name: 'Amp',
    description: 'ACP wrapper for Amp - the frontier coding agent',
    website: 'https://github.com/tao12345666333/amp-acp',
    command: 'amp-acp',
    args: [],
  },
  {
    id: 'auggie',
    name: 'Auggie CLI',
    description: "Augment Code's powerful software agent, backed by industry-leading context engine",
    website: 'https://www.augmentcode.com/',
    npm: '@augmentcode/auggie',
    args: ['--acp'],
    env: { AUGMENT_DISABLE_AUTO_UPDATE: '1' },
  },
  {
    id: 'cline',
    name: 'Cline',
    description:
      'Autonomous coding agent CLI - capable of creating/editing files, running commands, using the browser, and more',
    website: 'https://cline.bot/cli',
    npm: 'cline',
    args: ['--acp'],
  },
  {
    id: 'codebuddy-code',
    name: 'Codebuddy Code',
    description: "Tencent Cloud's official intelligent coding tool",
    website: 'https://www.codebuddy.cn/cli/',
    npm: '@tencent-ai/codebuddy-code',
    command: 'codebuddy',
    args: ['--acp'],
  },
  {
    id: 'cortex-code',
    name: 'Cortex Code',
    description: "Snowflake's Cortex Code coding agent",
    website: 'https://docs.snowflake.com/en/user-guide/cortex-code/cortex-code',
    command: 'cortex',
    args: ['acp', 'serve'],
  },
  {
    id: 'corust-agent',
    name: 'Corust Agent',
    description: 'Co-building with a seasoned Rust partner.',
    website: 'https://github.com/Corust-ai/corust-agent-release',
    command: 'corust-agent-acp',
    args: [],
  },
  {
    id: 'cursor',
    name: 'Cursor',
    description: "Cursor's coding agent",
    website: 'https://cursor.com/docs/cli/acp',
    command: 'cursor-agent',
    args: ['acp'],
  },
  {
    id: 'devin',
    name: 'Devin',
    description: 'Devin CLI coding agent by Cognition',
    website: 'https://docs.devin.ai/cli',
    command: 'devin',
    args: ['acp'],
  },
  {
    id: 'dimcode',
    name: 'DimCode',
    description: 'A coding agent that puts leading models at your command.',
    website: 'https://dimcode.dev/docs/acp.html',
    npm: 'dimcode',
    args: ['acp'],
  },
  {
    id: 'dirac',
    name: 'Dirac',
    description:
      'Reduces API costs by more than 50%, produces better and faster work. Uses Hash anchored parallel edits, AST manipulation and a whole lot of neat optimizations. Fully Open Source.',
    website: 'https://dirac.run',
    npm: 'dirac-cli',
    args: ['--acp'],
  },
  {
    id: 'factory-droid',
    name: 'Factory Droid',
    description: 'Factory Droid - AI coding agent powered by Factory AI',
    website: 'https://factory.ai/product/cli',
    npm: 'droid',
    args: ['exec', '--output-format', 'acp-daemon'],
    env: { DROID_DISABLE_AUTO_UPDATE: 'true', FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false' },
  },
  {
    id: 'fast-agent',
    name: 'fast-agent',
    description: 'Code and build agents with comprehensive multi-provider support',
    website: 'https://fast-agent.ai',
    python: 'fast-agent-acp',
    args: ['-x'],
    env: { FAST_AGENT_MODEL: 'codexplan' },
  },
  {
    id: 'github-copilot',
    name: 'GitHub Copilot (language server)',
    description: "GitHub's AI pair programmer",
    website: 'https://github.com/github/copilot-language-server-release',
    npm: '@github/copilot-language-server',
    args: ['--acp'],
  },
  {
    id: 'github-copilot-cli',
    name: 'GitHub Copilot',
    description: "GitHub's AI pair programmer",
    website: 'https://github.com/features/copilot/cli/',
    npm: '@github/copilot',
    args: ['--acp'],
  },
  {
    id: 'glm-acp-agent',
    name: 'GLM Agent',
    description: "ACP agent powered by Zhipu AI's GLM Coding Plan models",
    npm: 'glm-acp-agent',
    args: [],
  },
  {
    id: 'goose',
    name: 'goose',
    description: 'A local, extensible, open source AI agent that automates engineering tasks',
    website: 'https://block.github.io/goose/',
    command: 'goose',
    args: ['acp'],
  },
  {
    id: 'grok-build',
    name: 'Grok Build',
    description: "xAI's coding agent and CLI",
    website: 'https://x.ai/cli',
    npm: '@xai-official/grok',
    args: ['agent', 'stdio'],
  },
  {
    id: 'harn',
    name: 'Harn',
    description: 'Harn runs .harn agent pipelines as a native ACP coding agent over stdio.',
    website: 'https://harnlang.com',
    command: 'harn',
    args: ['serve', 'acp'],
  },
  {
    id: 'junie',
    name: 'Junie',
    description: 'AI Coding Agent by JetBrains',
    website: 'https://junie.jetbrains.com',
    command: 'junie',
    args: ['--acp=true'],
  },
  {
    id: 'kilo',
    name: 'Kilo',
    description: 'The open source coding agent',
    website: 'https://kilo.ai/',
    npm: '@kilocode/cli',
    command: 'kilo',
    args: ['acp'],
  },
  {
    id: 'kimi',
    name: 'Kimi CLI',
    description: "Moonshot AI's coding assistant",
    website: 'https://github.com/MoonshotAI/kimi-cli',
    command: 'kimi',
    args: ['acp'],
  },
  {
    id: 'mistral-vibe',
    name: 'Mistral Vibe',
    description: "Mistral's open-source coding assistant",
    website: 'https://mistral.ai/products/vibe',
    command: 'vibe-acp',
    args: [],
  },
  {
    id: 'nova',
    name: 'Nova',
    description: 'Nova by Compass AI - a fully-fledged software engineer at your command',
    npm: '@compass-ai/nova',
    args: ['acp'],
  },
  {
    id: 'pi-acp',
    name: 'pi ACP',
    description: 'ACP adapter for pi coding agent',
    npm: 'pi-acp',
    args: [],
  },
  {
    id: 'poolside',
    name: 'Poolside',
    description: "Poolside's coding agent",
    website: 'https://poolside.ai',
    command: 'pool',
    args: ['acp'],
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    description: "Alibaba's Qwen coding assistant",
    website: 'https://qwenlm.github.io/qwen-code-docs/en/users/overview',
    npm: '@qwen-code/qwen-code',
    command: 'qwen',
    args: ['--acp', '--experimental-skills'],
  },
  {
    id: 'sigit',
    name: 'siGit Code',
    description:
      'Local-first coding agent. Runs entirely on your machine with optional on-device LLM inference via Onde.',
    website: 'https://github.com/getsigit/sigit',
    npm: '@smbcloud/sigit',
    args: [],
  },
  {
    id: 'stakpak',
    name: 'Stakpak',
    description: 'Open-source DevOps agent in Rust with enterprise-grade security',
    website: 'https://github.com/stakpak/agent',
    command: 'stakpak',
    args: ['acp'],
  },
];
