import { createClient, query } from 'coxswain';

{
  // #region bedrock
  const client = createClient({
    model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0', // an id of the provider
    env: { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'eu-central-1', AWS_PROFILE: 'agents' },
  });
  // #endregion
  console.log(client.defaults.model);
}

// #region gateway
const stream = query('Do the tests pass?', {
  env: {
    ANTHROPIC_BASE_URL: process.env.GATEWAY_URL,
    ANTHROPIC_AUTH_TOKEN: process.env.GATEWAY_TOKEN, // sent as a bearer token
    ANTHROPIC_CUSTOM_HEADERS: 'x-team: boats',
  },
  inheritEnv: ['PATH', 'HOME'], // so that no key of this machine takes precedence
});
// #endregion
console.log(await stream.text());
