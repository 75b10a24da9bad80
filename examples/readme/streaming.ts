// #region streaming
import { query, textDeltas } from 'coxswain';

const stream = query('Explain the build in three paragraphs.', { includePartialMessages: true });
for await (const words of textDeltas(stream)) process.stdout.write(words);
// #endregion
