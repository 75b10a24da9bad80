/**
 * For `env()`: makes the CLI believe that it has a subscription, whose limits it reports; with an API key it does not. The
 * token is made up, and requests of the CLI to anything but the fake API go nowhere.
 */
export const AS_SUBSCRIBER: Readonly<Record<string, string | undefined>> = {
  ANTHROPIC_API_KEY: undefined,
  CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-not-a-real-token',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};
