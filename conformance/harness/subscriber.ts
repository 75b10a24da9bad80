/**
 * For `env()`: makes the CLI assume a subscription, whose limits it reports; with an API key it does not. The token is invented, and
 * requests of the CLI to anything other than the fake API fail.
 */
export const AS_SUBSCRIBER: Readonly<Record<string, string | undefined>> = {
  ANTHROPIC_API_KEY: undefined,
  CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-not-a-real-token',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};
