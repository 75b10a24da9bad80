/**
 * For `env()`: the CLI takes itself for one with a subscription, whose limits it tells of; with an API key it does not. The
 * token is made up, and what the CLI would ask of anything but the fake API goes nowhere.
 */
export const AS_SUBSCRIBER: Readonly<Record<string, string | undefined>> = {
  ANTHROPIC_API_KEY: undefined,
  CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-not-a-real-token',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};
