// #region streaming
import { query, textDeltaOf } from 'coxswain';

const stream = query('Explain the build in three paragraphs.', { includePartialMessages: true });
for await (const message of stream) process.stdout.write(textDeltaOf(message));
// #endregion
