/** Searches, filters, sorts and pages the projects of an overview. */
import type * as z from 'zod/mini';
import type { overview } from '../contract/endpoints/overview.ts';
import type { ProjectOverview } from '../contract/models/overview.ts';

type Shown = z.input<typeof ProjectOverview>;
type Query = z.output<typeof overview.get.query>;
type Sort = Query['sort'];

/** `next` names the last project of the page by its place in the order, so that a page stays where it is if others come or go. */
export const selectProjects = (
  projects: readonly Shown[],
  { search, protection, label, sort }: Query,
  page: { readonly limit: number; readonly after: string | undefined },
): { readonly items: Shown[]; readonly matching: number; readonly next: string | undefined } => {
  const wanted = search?.trim().toLowerCase() ?? '';
  const labels = label?.split(',').map((one) => one.split('=')) ?? [];
  const matching = projects
    .filter((project) => protection === undefined || project.protection === protection)
    .filter((project) => labels.every(([key = '', value]) => hasLabel(project, key, value)))
    .filter((project) => wanted === '' || searchText(project).includes(wanted))
    .map((project) => ({ project, place: placeOf(project, sort) }));
  const compare = sort.startsWith('-') ? (a: Place, b: Place) => comparePlaces(b, a) : comparePlaces;
  matching.sort((a, b) => compare(a.place, b.place));
  const after = page.after === undefined ? undefined : (JSON.parse(page.after) as Place);
  const rest = after === undefined ? matching : matching.filter(({ place }) => compare(place, after) > 0);
  const items = rest.slice(0, page.limit);
  const last = items.at(-1);
  return {
    items: items.map(({ project }) => project),
    matching: matching.length,
    next: last && rest.length > items.length ? JSON.stringify(last.place) : undefined,
  };
};

const hasLabel = ({ labels }: Shown, key: string, value: string | undefined): boolean =>
  Object.hasOwn(labels, key) && (value === undefined || labels[key] === value);

const searchText = ({ id, name, sourceProjectId, databaseId, labels }: Shown): string =>
  [id, name, sourceProjectId, databaseId, ...Object.entries(labels).map(([key, value]) => `${key}=${value}`)]
    .join('\n')
    .toLowerCase();

/** What is compared: the sorted value, the name and the id, which no two projects share. */
type Place = readonly [value: string, name: string, id: string];

const ranks: Readonly<Record<Shown['protection'], string>> = { unprotected: '0', at_risk: '1', protected: '2' };

/** Protected projects that nothing has verified come before the others. */
const values: Readonly<Record<string, (project: Shown) => string>> = {
  protection: ({ protection, verified }) => `${ranks[protection]}${verified ? '1' : '0'}`,
  name: () => '',
  lastBackup: ({ lastGoodBackup }) => lastGoodBackup?.completedAt ?? '',
  lastRestoreTest: ({ lastRestoreTest }) => lastRestoreTest?.at ?? '',
};

const placeOf = (project: Shown, sort: Sort): Place => [
  values[sort.replace('-', '')]?.(project) ?? '',
  project.name.toLowerCase(),
  project.id,
];

const comparePlaces = (a: Place, b: Place): number =>
  compareTexts(a[0], b[0]) || compareTexts(a[1], b[1]) || compareTexts(a[2], b[2]);
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
