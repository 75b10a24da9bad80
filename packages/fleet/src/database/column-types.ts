import pg from 'pg';

/** How values of PostgreSQL are parsed: bigint and numeric as numbers, not text; none of the fleet's values exceeds 2^53. */
export const COLUMN_TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === 20 || oid === 1700
      ? Number
      : oid === 1184
        ? dateOf
        : // The overloads of the two formats do not accept their union.
          pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

const parseDate = pg.types.getTypeParser(1184);

/** PostgreSQL has dates that JavaScript lacks, such as `infinity`: the first or the last one of JavaScript takes their place. */
function dateOf(text: string): Date {
  const date: unknown = parseDate(text);
  if (date instanceof Date && !Number.isNaN(date.getTime())) return date;
  return new Date(text.startsWith('-') || text.endsWith('BC') ? -LAST_TIME : LAST_TIME);
}

const LAST_TIME = 8.64e15;
