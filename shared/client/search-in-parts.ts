/** Searches a backup to the end, its parts at once, and says how far it is. */
import type { Client } from './open-client.ts';
import type { DataOf, InputOf } from './routes.ts';

type Page = DataOf<'GET /search'>;
type SearchQuery = Omit<NonNullable<InputOf<'GET /search'>['query']>, 'part' | 'dryRun' | 'cursor' | 'limit'>;

export interface PartsSearch {
  readonly query: SearchQuery;
  /** The search ends when so many are found. */
  readonly matchesMax: number;
  readonly signal?: AbortSignal;
  /** Before the first document is read. */
  readonly onPlan?: (plan: Page['plan']) => void;
  readonly onProgress?: (progress: { readonly documents: number; readonly matches: number }) => void;
}

export interface FoundInParts
  extends Pick<Page, 'backupId' | 'projectId' | 'readTime' | 'kind' | 'plan' | 'matches' | 'scanned'> {
  /** False if the search ended because enough was found: there may be more. */
  readonly isComplete: boolean;
}

/** Calls at once. */
const concurrency = 4;
const pageMax = 100;

export const searchInParts = async (
  client: Pick<Client, 'request' | 'pages'>,
  { query, matchesMax, signal, onPlan, onProgress }: PartsSearch,
): Promise<FoundInParts> => {
  const { plan, ...first } = await client.request('GET /search', { query: { ...query, dryRun: 'true' }, signal });
  onPlan?.(plan);
  // All parts are of the backup that was planned.
  const search = { ...query, backupId: first.backupId };
  const limit = Math.min(pageMax, matchesMax);
  const parts: Page['matches'][] = Array.from({ length: plan.parts }, () => []);
  const scanned = { documents: 0, bytes: 0 };
  let isComplete = true;
  const found = (): number => parts.reduce((sum, { length }) => sum + length, 0);
  /** What the parts before a given one found is enough, whatever is in it. */
  const isEnough = (number: number): boolean =>
    parts.slice(0, number + 1).reduce((sum, { length }) => sum + length, 0) >= matchesMax;
  const run = async (number: number): Promise<void> => {
    const part = plan.parts === 1 ? {} : { part: `${number + 1}/${plan.parts}` };
    for await (const { data, pagination } of client.pages('GET /search', { query: { ...search, ...part, limit }, signal })) {
      parts[number]?.push(...data.matches);
      scanned.documents += data.scanned.documents;
      scanned.bytes += data.scanned.bytes;
      onProgress?.({ documents: scanned.documents, matches: found() });
      if (!pagination.hasMore || !isEnough(number)) continue;
      isComplete = false;
      return;
    }
  };
  let next = 0;
  const work = async (): Promise<void> => {
    for (let number = next++; number < plan.parts; number = next++)
      if (isEnough(number - 1)) isComplete = false;
      else await run(number);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, plan.parts) }, work));
  const matches = parts.flat();
  return {
    ...first,
    plan,
    scanned,
    matches: matches.slice(0, matchesMax),
    isComplete: isComplete && matches.length <= matchesMax,
  };
};
