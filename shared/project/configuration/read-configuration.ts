/** Reads what surrounds the documents of a database. Never rejects for a part that cannot be read: the part says why. */
import * as z from 'zod/mini';
import type {
  CompositeIndex,
  Configuration,
  DatabaseSettings,
  FieldSettings,
  RulesRelease,
} from '../../contract/models/configuration.ts';
import { clock, iso, log, type Tenant } from '../../platform/index.ts';
import { type ConfigurationApi, ConfigurationError, type ConfiguredSource, openConfigurationApi } from './configuration-api.ts';

/** Longer than every part takes. The step of a backup has 60 s, and must not fail because an API does not answer. */
const patienceMs = 20_000;

export const readConfiguration = async (
  tenant: Tenant,
  project: ConfiguredSource,
  stop?: AbortSignal,
): Promise<Configuration> => {
  const limit = AbortSignal.timeout(patienceMs);
  const signal = stop ? AbortSignal.any([stop, limit]) : limit;
  const api = openConfigurationApi(tenant, project, signal);
  const ended = endOf(signal);
  const capture = <T>(read: () => Promise<T>, role: string): Promise<Outcome<T>> =>
    outcomeOf(Promise.race([ended, read()]), role);
  const capturedAt = iso(clock.now());
  const [settings, indexes, fields, rules] = await Promise.all([
    capture(() => readSettings(api), needs.viewer),
    capture(async () => (await listIndexes(api)).map(({ index }) => index), needs.viewer),
    capture(() => readFields(api), needs.viewer),
    capture(() => readRules(api), needs.rules),
  ]);
  return {
    capturedAt,
    settings: { state: settings.state, reason: settings.reason, value: settings.value ?? null },
    indexes: { state: indexes.state, reason: indexes.reason, items: indexes.value ?? [] },
    fields: { state: fields.state, reason: fields.reason, items: fields.value ?? [] },
    rules: { state: rules.state, reason: rules.reason, items: rules.value ?? [] },
  };
};

const needs = {
  viewer: 'the role roles/datastore.viewer',
  rules: 'the role roles/firebaserules.viewer',
} as const;

interface Outcome<T> {
  readonly state: Configuration['indexes']['state'];
  readonly reason: string | null;
  readonly value?: T;
}

/** Rejects once the time is over, also if it is access that is waited for. */
const endOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = (): void => reject(new ConfigurationError('unavailable', 'There was no answer in time', 0));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

const outcomeOf = async <T>(reading: Promise<T>, role: string): Promise<Outcome<T>> => {
  try {
    return { state: 'captured', reason: null, value: await reading };
  } catch (error) {
    if (error instanceof ConfigurationError) {
      const { state, message } = error;
      return { state, reason: state === 'permission_missing' ? `${message}. It needs ${role}` : message };
    }
    log.warn('a part of the configuration of a database was not understood', { error });
    return { state: 'unavailable', reason: 'The answer was not understood' };
  }
};

const Settings = z.object({
  type: z._default(z.string(), ''),
  databaseEdition: z._default(z.string(), 'STANDARD'),
  locationId: z._default(z.string(), ''),
  deleteProtectionState: z.optional(z.string()),
  pointInTimeRecoveryEnablement: z.optional(z.string()),
});

const readSettings = async ({ call }: ConfigurationApi): Promise<DatabaseSettings> => {
  const found = Settings.parse(await call({ api: 'database', path: '' }));
  return {
    locationId: found.locationId,
    type: found.type,
    edition: found.databaseEdition,
    deleteProtection: found.deleteProtectionState === 'DELETE_PROTECTION_ENABLED',
    pointInTimeRecovery: found.pointInTimeRecoveryEnablement === 'POINT_IN_TIME_RECOVERY_ENABLED',
  };
};

/** The largest page that the APIs give. */
const pageSize = '300';

export async function* pagesOf(
  { call }: ConfigurationApi,
  request: Parameters<ConfigurationApi['call']>[0],
): AsyncGenerator<unknown, void, undefined> {
  for (let pageToken: string | undefined; ; ) {
    const page = await call({ ...request, query: { pageSize, ...request.query, ...(pageToken !== undefined && { pageToken }) } });
    yield page;
    const { nextPageToken } = Next.parse(page);
    if (!nextPageToken || nextPageToken === pageToken) return;
    pageToken = nextPageToken;
  }
}
const Next = z.object({ nextPageToken: z.optional(z.string()) });

const Indexed = z.object({
  fieldPath: z._default(z.string(), ''),
  order: z.optional(z.string()),
  arrayConfig: z.optional(z.string()),
  vectorConfig: z.optional(z.object({ dimension: z.int() })),
});
const Indexes = z.object({
  indexes: z._default(
    z.array(
      z.object({
        name: z.string(),
        state: z._default(z.string(), ''),
        queryScope: z._default(z.string(), 'COLLECTION'),
        apiScope: z.optional(z.string()),
        density: z.optional(z.string()),
        multikey: z.optional(z.boolean()),
        unique: z.optional(z.boolean()),
        fields: z._default(z.array(Indexed), []),
      }),
    ),
    [],
  ),
});

const shownField = ({ vectorConfig, ...field }: z.output<typeof Indexed>) => ({
  ...field,
  ...(vectorConfig && { vectorDimension: vectorConfig.dimension }),
});

interface ListedIndex {
  /** The full name of the resource. */
  readonly name: string;
  readonly state: string;
  readonly index: CompositeIndex;
}

export const listIndexes = async (api: ConfigurationApi): Promise<readonly ListedIndex[]> => {
  const found: ListedIndex[] = [];
  for await (const page of pagesOf(api, { api: 'database', path: '/collectionGroups/-/indexes' }))
    for (const { name, state, fields, ...index } of Indexes.parse(page).indexes) {
      const { collectionGroup } = placeIn(name);
      found.push({ name, state, index: { collectionGroup, ...index, fields: fields.map(shownField) } });
    }
  return found;
};

/** From `…/collectionGroups/{group}/indexes/{id}` or `…/collectionGroups/{group}/fields/{path}`. */
const placeIn = (name: string): { readonly collectionGroup: string; readonly id: string } => {
  const [, collectionGroup = '', id = ''] = /\/collectionGroups\/([^/]+)\/(?:indexes|fields)\/(.+)$/.exec(name) ?? [];
  return { collectionGroup, id };
};

const Fields = z.object({
  fields: z._default(
    z.array(
      z.object({
        name: z.string(),
        indexConfig: z.optional(
          z.object({
            usesAncestorConfig: z.optional(z.boolean()),
            indexes: z._default(
              z.array(z.object({ queryScope: z._default(z.string(), 'COLLECTION'), fields: z._default(z.array(Indexed), []) })),
              [],
            ),
          }),
        ),
        ttlConfig: z.optional(z.object({})),
      }),
    ),
    [],
  ),
});

/** The service lists only fields whose settings differ from what they inherit, each of the two filters on its own. */
const filters = ['indexConfig.usesAncestorConfig:false', 'ttlConfig:*'];

const readFields = async (api: ConfigurationApi): Promise<FieldSettings[]> => {
  const found = new Map<string, FieldSettings>();
  for (const filter of filters)
    for await (const page of pagesOf(api, { api: 'database', path: '/collectionGroups/-/fields', query: { filter } }))
      for (const { name, indexConfig, ttlConfig } of Fields.parse(page).fields) {
        const { collectionGroup, id: fieldPath } = placeIn(name);
        const isOwn = indexConfig !== undefined && indexConfig.usesAncestorConfig !== true;
        const indexes = isOwn
          ? indexConfig.indexes.map(({ queryScope, fields }) => ({ queryScope, ...modeOf(fields[0]) }))
          : null;
        const field = { collectionGroup, fieldPath, indexes, ttl: ttlConfig !== undefined };
        if (!isAutomatic(field)) found.set(name, field);
      }
  return [...found.values()];
};

const modeOf = (field: z.output<typeof Indexed> | undefined) => {
  if (!field) return {};
  const { fieldPath: _, ...mode } = shownField(field);
  return mode;
};

/** The settings that every database has from the start are left out: only what was changed is listed. */
const isAutomatic = ({ collectionGroup, fieldPath, indexes, ttl }: FieldSettings): boolean => {
  if (collectionGroup !== '__default__' || fieldPath !== '*' || ttl || indexes?.length !== 3) return false;
  const modes = indexes.map(({ queryScope, order, arrayConfig }) => `${queryScope} ${order ?? arrayConfig}`).sort();
  return modes.join() === 'COLLECTION ASCENDING,COLLECTION CONTAINS,COLLECTION DESCENDING';
};

const Releases = z.object({
  releases: z._default(z.array(z.object({ name: z.string(), rulesetName: z.string(), updateTime: z.optional(z.string()) })), []),
});
const Ruleset = z.object({
  source: z.object({ files: z.array(z.object({ name: z.string(), content: z._default(z.string(), '') })) }),
});

/** The rules of this database, and those of the project's buckets. */
const readRules = async (api: ConfigurationApi): Promise<RulesRelease[]> => {
  const found: RulesRelease[] = [];
  const own = firestoreRelease(api.databaseId);
  // The largest page of this API.
  for await (const page of pagesOf(api, { api: 'rules', path: '/releases', query: { pageSize: '100' } }))
    for (const { name, rulesetName, updateTime } of Releases.parse(page).releases) {
      const release = /^projects\/[^/]+\/releases\/(.+)$/.exec(name)?.[1] ?? name;
      if (release !== own && !release.startsWith('firebase.storage/')) continue;
      const path = rulesetName.slice(rulesetName.indexOf('/rulesets/'));
      const { source } = Ruleset.parse(await api.call({ api: 'rules', path }));
      const files = source.files.map(({ name: file, content }) => ({ name: file, content }));
      found.push({ release, updatedAt: updateTime ?? null, files });
    }
  return found;
};

/** https://firebase.google.com/docs/reference/rules/rest/v1/projects.releases: the default database has no id in it. */
export const firestoreRelease = (databaseId: string): string =>
  databaseId === '(default)' ? 'cloud.firestore' : `cloud.firestore/${databaseId}`;
