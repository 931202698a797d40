/** Searches what is stored in a backup, a page at a time: what is found within some seconds, and where the search goes on. */
import { type Archive, compareNames, type EncodedNameRange, Seeker } from '../../archive/index.ts';
import { auditNote } from '../../audit/index.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { collectionRange, isCollectionId, isCollectionPath } from '../../firestore/index.ts';
import { after, type Change, type Clock, clock, fingerprint, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, readProject } from '../../project/index.ts';
import {
  type ArchiveDeps,
  type BackupRecord,
  type DocumentEntry,
  listBackups,
  noSuchBackup,
  preferWhole,
  readBackup,
  withArchiveInRequest,
} from '../../stored-backup/index.ts';
import { assertNamesProject } from '../resolve-project.ts';
import { type ComparedField, comparedFields } from './compared-fields.ts';
import { LeafSkipper } from './leaf-skipper.ts';
import { parseQuery, type SearchQuery } from './parse-query.ts';
import { planSearch, type SearchPlan } from './plan-search.ts';
import { searchArchive } from './search-archive.ts';

export interface SearchRequest {
  readonly tenant: Tenant;
  readonly query: {
    readonly q: string;
    readonly projectId: string;
    readonly backupId?: string | undefined;
    readonly collection?: string | undefined;
    readonly part?: string | undefined;
    readonly dryRun: 'true' | 'false';
  };
  readonly page: { readonly limit: number; readonly after: string | undefined };
  readonly now: Date;
}

interface Found {
  readonly backupId: string;
  readonly projectId: string;
  readonly readTime: string | null;
  readonly kind: SearchQuery['kind'];
  readonly plan: SearchPlan & { readonly fields: ComparedField[] };
  readonly matches: DocumentEntry[];
  readonly scanned: { readonly documents: number; readonly bytes: number };
}

/** The function times out after 20 s. */
const workSeconds = 8;
/** Of these, what is looked at before the search says what it will read. */
const planSeconds = 2;

export const searchDocuments = async (
  { tenant, query, page, now }: SearchRequest,
  { deps, time = clock }: { readonly deps?: ArchiveDeps | undefined; readonly time?: Clock } = {},
): Promise<{ readonly data: Found; readonly next: string | undefined; readonly change: Change }> => {
  const parsed = parseQuery(query.q);
  const { collection } = query;
  if (collection !== undefined && !isCollectionPath(collection) && !isCollectionId(collection))
    throw invalid('collection', 'must be the id or the path of a collection, such as orders or users/ada/orders');
  const part = query.part === undefined ? undefined : parsePart(query.part);
  const search = fingerprint(JSON.stringify([query.q, query.backupId, collection, query.part])).slice(0, 12);
  const from = page.after === undefined ? undefined : readCursor(page.after, search);
  const project = await readProject(tenant, query.projectId);
  if (parsed.kind === 'path') assertNamesProject(project, { database: parsed.database, field: 'q' });
  const backup = await chooseBackup(tenant, { query, project, from, now });
  const until = after(time.now(), workSeconds);
  const { plan: read, found } = await withArchiveInRequest(tenant, {
    backup,
    deps,
    work: async ({ archive, erasures }) => {
      const isPath = collection?.includes('/') ?? false;
      const within = isPath && collection !== undefined ? rangeBelow(archive, collection) : documentsIn(archive);
      const whole = await partOf(archive, within, part);
      const skipper = new LeafSkipper({ archive, erasures }, parsed);
      const planUntil = after(time.now(), planSeconds);
      const plan = await planSearch(archive, { query: parsed, range: whole, skipper, isOver: () => time.now() >= planUntil });
      if (query.dryRun === 'true') return { plan, found: nothing };
      const range = from === undefined ? whole : { ...whole, from: await nameAt(archive, from.rank) };
      const scan = {
        query: parsed,
        range,
        collectionId: collection === undefined || isPath ? undefined : collection,
        matchesMax: page.limit,
        skipper,
        isOver: () => time.now() >= until,
      };
      return { plan, found: await searchArchive(archive, scan) };
    },
  });
  const { matches, next, documents, bytes } = found;
  const { id: backupId, projectId, readTime } = backup;
  const plan = { ...read, fields: [...comparedFields(parsed, project.settings.searchFields ?? [])] };
  return {
    data: { backupId, projectId, readTime, kind: parsed.kind, plan, matches: [...matches], scanned: { documents, bytes } },
    next: next === undefined ? undefined : `${search} ${backupId} ${next}`,
    change: {
      writes: [],
      audit: [auditNote(tenant, { type: 'backup', id: backupId, details: { projectId, ...auditedPart(parsed) } })],
    },
  };
};

/** Without the values that were searched for: they may be a person's, and the audit log outlives an erasure. */
const auditedPart = (query: SearchQuery): Readonly<Record<string, string>> => {
  if (query.kind !== 'values') return query.kind === 'path' ? { path: query.path } : { id: query.id };
  return {
    fields: query.conditions.map((condition) => (condition.kind === 'text' ? '*' : condition.field.join('.'))).join(', '),
  };
};

const nothing = { matches: [], next: undefined, documents: 0, bytes: 0 };

interface Position {
  readonly backupId: string;
  readonly rank: number;
}

const readCursor = (text: string, search: string): Position => {
  const [of, backupId = '', given] = text.split(' ');
  const rank = Number(given);
  if (of !== search || !Number.isSafeInteger(rank) || rank < 0)
    throw invalid('cursor', 'must be a nextCursor from this same search');
  return { backupId, rank };
};

/** The given one of the project, or its newest, of all collections if there is one: the same one on every page. */
const chooseBackup = async (
  tenant: Tenant,
  {
    query,
    project,
    from,
    now,
  }: Pick<SearchRequest, 'query' | 'now'> & { readonly project: ProjectRecord; readonly from: Position | undefined },
): Promise<BackupRecord> => {
  const backupId = query.backupId ?? from?.backupId;
  const given = backupId === undefined ? undefined : await readBackup(tenant, backupId);
  if (given?.projectId === project.id) return given;
  if (given) throw noSuchBackup();
  const filter = { projectId: project.id, status: 'completed', internal: 'exclude' } as const;
  const { backups } = await listBackups(tenant, { filter, page: { limit: 50, after: undefined }, now });
  const newest = await preferWhole(backups);
  if (!newest) throw new ApiError('BACKUP_NOT_FOUND', `${project.name} has no completed backup to search`);
  return newest;
};

interface Part {
  readonly number: number;
  readonly of: number;
}

const partsMax = 64;

const parsePart = (text: string): Part => {
  const [, number = '', of = ''] = /^(\d{1,2})\/(\d{1,2})$/.exec(text) ?? [];
  const part = { number: Number(number), of: Number(of) };
  if (part.number >= 1 && part.number <= part.of && part.of <= partsMax) return part;
  throw invalid('part', `must be a number and how many there are, such as 1/4, of at most ${partsMax}`);
};

/** Not the users, whose names come first. */
const documentsIn = ({ documentsRoot }: Archive): EncodedNameRange => ({ from: Buffer.from(documentsRoot.slice(0, -1)) });

const rangeBelow = ({ documentsRoot }: Archive, collection: string): EncodedNameRange => {
  const { from, to } = collectionRange(collection);
  return {
    ...(from !== undefined && { from: Buffer.from(documentsRoot + from) }),
    ...(to !== undefined && { to: Buffer.from(documentsRoot + to) }),
  };
};

/** Parts have equally many records of the whole backup, so that all of them end at the same names, whatever is searched. */
const partOf = async (archive: Archive, range: EncodedNameRange, part: Part | undefined): Promise<EncodedNameRange> => {
  if (!part) return range;
  const records = archive.pages.reduce((sum, page) => sum + page.records, 0);
  const [from, to] = await Promise.all(
    [part.number - 1, part.number].map((number) => nameAt(archive, Math.floor((records * number) / part.of))),
  );
  const isLast = part.number === part.of;
  return {
    from: later(range.from, part.number === 1 ? undefined : from),
    to: earlier(range.to, isLast ? undefined : to),
  };
};

/** Behind the last record: a name that no record reaches. */
const nameAt = async (archive: Archive, rank: number): Promise<Buffer> => {
  const seeker = new Seeker(archive);
  await seeker.seekRank(rank);
  return (await seeker.name()) ?? Buffer.from(`${archive.documentsRoot}\uffff/\uffff`);
};

type Name = Uint8Array | undefined;
const later = (a: Name, b: Name): Name => (a && (!b || compareNames(a, b) >= 0) ? a : b);
const earlier = (a: Name, b: Name): Name => (a && (!b || compareNames(a, b) <= 0) ? a : b);
