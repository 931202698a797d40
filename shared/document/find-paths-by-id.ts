/** Finds the paths of documents by their id alone: in the newest backups, the live database and captured changes. */
import { type Role, roleAtLeast } from '../contract/access.ts';
import { ApiError } from '../contract/errors.ts';
import { compareTextNames, getDocuments, listCollections, probeSource, SourceError } from '../firestore/index.ts';
import { readPitr, searchNewest } from '../pitr/index.ts';
import type { ProjectRecord } from '../project/index.ts';
import { type BackupDeps, findById, listBackups, type RequestCaller, withSourceInRequest } from '../stored-backup/index.ts';
import type { Located } from './document-states.ts';
import { isAbort } from './read-live.ts';

type NotSearched = Located['notSearched'][number];

interface FoundPaths {
  readonly paths: readonly string[];
  /** Places that could not be searched. The others were. */
  readonly notSearched: readonly NotSearched[];
}

interface SearchedId {
  readonly project: ProjectRecord;
  readonly id: string;
  readonly until: Date;
  readonly deps: BackupDeps;
}

type Caller = RequestCaller & { readonly role: Role | undefined };

/** Backups in which an id is looked for, until one has it. */
const backupsMax = 5;
/** Each costs a read of the live database. */
const liveCollectionsMax = 100;
const liveTimeoutMs = 5_000;
const pathsMax = 50;

export const findPathsById = async (caller: Caller, searched: SearchedId): Promise<FoundPaths> => {
  const found = await Promise.all([
    inBackups(caller, searched),
    inPlace('live', () => inLive(caller, searched)),
    inPlace('captures', () => inCaptures(caller, searched)),
  ]);
  const paths = new Set(found.flatMap((one) => one.paths));
  return {
    paths: [...paths].sort(compareTextNames).slice(0, pathsMax),
    notSearched: found.flatMap((one) => one.notSearched),
  };
};

/** In root collections of the newest backup that has it. One that cannot be read does not hide the others. */
const inBackups = async ({ tenant, now }: Caller, { project, id, until, deps }: SearchedId): Promise<FoundPaths> => {
  const filter = { projectId: project.id, status: 'completed', internal: 'exclude' } as const;
  const { backups } = await listBackups(tenant, { filter, page: { limit: backupsMax, after: undefined }, now });
  const notSearched: NotSearched[] = [];
  for (const backup of backups) {
    if (deps.clock.now() >= until) break;
    try {
      const paths = await findById(tenant, { backup, id, deps });
      if (paths.length > 0) return { paths, notSearched };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      notSearched.push({ place: 'backup', backupId: backup.id, message: error.message });
    }
  }
  return { paths: [], notSearched };
};

const inPlace = async (place: 'live' | 'captures', search: () => Promise<readonly string[]>): Promise<FoundPaths> => {
  try {
    return { paths: await search(), notSearched: [] };
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof SourceError || isAbort(error))) throw error;
    const isSilent = !(error instanceof ApiError) && !(error instanceof SourceError && error.code === 'SOURCE_AUTH_ERROR');
    const message = isSilent ? 'The database does not respond. Try again shortly' : error.message;
    return { paths: [], notSearched: [{ place, backupId: null, message }] };
  }
};

/** In root collections: others would need a scan of the database. Reading it is billed, so it requires role member. */
const inLive = (caller: Caller, { project, id, deps }: SearchedId): Promise<readonly string[]> => {
  if (caller.role !== undefined && !roleAtLeast(caller.role, 'member')) return Promise.resolve([]);
  return withSourceInRequest(caller, {
    project,
    deps,
    work: async (source) => {
      const signal = AbortSignal.timeout(liveTimeoutMs);
      const { readTime } = await probeSource(source, signal);
      const collections = await listCollections(source, { parent: source.root, readTime, signal });
      const paths = collections.slice(0, liveCollectionsMax).map((collection) => `${collection}/${id}`);
      const found = await getDocuments(source, paths, { readTime, signal });
      return [...found.keys()];
    },
  });
};

/** At any depth. */
const inCaptures = async ({ tenant }: Caller, { project, id, until, deps }: SearchedId): Promise<readonly string[]> => {
  const pitr = await readPitr(tenant, project.id);
  if (!pitr || pitr.bases.length === 0) return [];
  const paths = new Set<string>();
  await searchNewest(tenant, pitr, {
    visit: ({ path }) => {
      if (path.endsWith(`/${id}`)) paths.add(path);
    },
    isEnough: () => paths.size >= pathsMax,
    until,
    clock: deps.clock,
    deps,
  });
  return [...paths];
};
