/** What the restore wizard begins with. Its own steps add to it. */
export interface RestoreParams {
  readonly backupId?: string | undefined;
  /** With `at`: a moment of point-in-time recovery, ISO 8601. */
  readonly projectId?: string | undefined;
  readonly at?: string | undefined;
  /** Paths of collections, and of documents. */
  readonly collections?: readonly string[] | undefined;
  readonly documents?: readonly string[] | undefined;
  readonly [other: string]: string | readonly string[] | undefined;
}

/** What the form of an export begins with. */
export interface ExportParams {
  readonly backupId?: string | undefined;
  /** With `pointInTime`: a moment of point-in-time recovery, ISO 8601. */
  readonly projectId?: string | undefined;
  readonly pointInTime?: string | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly format?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly exactText?: 'yes' | undefined;
  readonly storageId?: string | undefined;
  /** Days after which the files are deleted. */
  readonly recipients?: readonly string[] | undefined;
  readonly retention?: string | undefined;
  /** The export before was masked, by rules that its record does not show. */
  readonly mask?: typeof lostRules | undefined;
  readonly [other: string]: string | readonly string[] | undefined;
}

/** In place of the rules of a masked copy: it has rules, which are too long for an address. */
export const lostRules = 'lost';

/** Lists are separated by commas, and each entry is encoded: a path may contain commas. */
const queryOf = (params: Readonly<Record<string, string | readonly string[] | undefined>>): string => {
  const entries = Object.entries(params).flatMap(([name, value]) => {
    if (value === undefined || value.length === 0) return [];
    const text = typeof value === 'string' ? value : value.map(encodeURIComponent).join(',');
    return [[name, text] as [string, string]];
  });
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
};

/** The addresses of all pages, below /console; those of the API docs are below /docs. */
export const paths = {
  overview: '/',
  start: '/start',
  signIn: '/sign-in',
  /** Where `bms login` sends people; `?userCode=…` has the code. */
  device: '/device',
  /** Where the person is signed in; the e-mail about a new device links to it. */
  sessions: '/sessions',
  invitation: (token: string) => `/invitations/${encodeURIComponent(token)}`,
  projects: '/projects',
  connectProject: '/projects/new',
  project: (id: string, tab?: 'schedules' | 'point-in-time' | 'reads' | 'erasures' | 'settings' | 'move') =>
    `/projects/${id}${tab ? `/${tab}` : ''}`,
  /** The settings of a project, with more fields to search by filled in. */
  nameSearchFields: (id: string, fields: readonly string[]) => `/projects/${id}/settings${queryOf({ searchFields: fields })}`,
  backups: '/backups',
  backup: (id: string, tab?: 'browse' | 'compare' | 'configuration') => `/backups/${id}${tab ? `/${tab}` : ''}`,
  /** Where a document exists; without `path` what was deleted lately. */
  findDocument: (params: { readonly path?: string | undefined; readonly projectId?: string | undefined } = {}) =>
    `/find${queryOf(params)}`,
  /** Searches a backup by the values of fields; without `backupId` the newest of a project. */
  search: (
    params: {
      readonly q?: string;
      readonly projectId?: string | undefined;
      readonly backupId?: string;
      readonly collection?: string;
    } = {},
  ) => `/search${queryOf(params)}`,
  restores: '/restores',
  restore: (id: string) => `/restores/${id}`,
  /** Opens the undo of a restore. `changedFrom`: an undo whose plan was out of date; what is new since is marked. */
  undoRestore: (id: string, changedFrom: string) => `/restores/${id}?undo=${changedFrom}`,
  /** The wizard, with choices already made: `restoreWizard({ backupId })`, `restoreWizard({ projectId, at, documents })`. */
  restoreWizard: (params: RestoreParams = {}) => `/restore/new${queryOf(params)}`,
  exports: '/exports',
  export: (id: string) => `/exports/${id}`,
  /** The form of a new export, with choices already made: `newExport({ backupId })`, `newExport({ projectId, pointInTime })`. */
  newExport: (params: ExportParams = {}) => `/exports/new${queryOf(params)}`,
  schedules: '/schedules',
  /** The form of a new schedule; `?projectId=…` chooses its project. */
  newSchedule: '/schedules/new',
  schedule: (id: string, tab?: 'edit') => `/schedules/${id}${tab ? `/${tab}` : ''}`,
  restoreTests: '/restore-tests',
  newRestoreTest: '/restore-tests/new',
  /** `?from=…&to=…&projectId=…`, days in the person's time zone. */
  restoreTestReport: '/restore-tests/report',
  restoreTest: (id: string, tab?: 'edit') => `/restore-tests/${id}${tab ? `/${tab}` : ''}`,
  restoreTestRun: (id: string) => `/restore-tests/runs/${id}`,
  storage: '/storage',
  alerts: '/alerts',
  alert: (id: string) => `/alerts/${id}`,
  incident: (id: string) => `/alerts/incidents/${id}`,
  webhooks: '/webhooks',
  webhook: (id: string) => `/webhooks/${id}`,
  audit: '/audit',
  /** `?from=…&to=…`, days in the person's time zone. */
  report: '/report',
  team: '/team',
  organization: '/organization',
  apiKeys: '/api-keys',
  docs: '/docs',
  /** A guide or an area of the API docs, such as `backups`. */
  docsPage: (page: string) => `/docs/${page}`,
} as const;
