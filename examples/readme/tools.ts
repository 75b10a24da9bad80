// #region tools
import { query } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { z } from 'zod';

const deploys = tool('last_deploy', 'When a service was last deployed.', z.object({ service: z.string() }), (input) =>
  input.service === 'api' ? 'yesterday, 17:04' : 'never',
);
const ops = toolServer({ name: 'ops', tools: [deploys] });
console.log(await query('When was the api service deployed?', { mcpServers: { ops } }).text());
// #endregion
