/** What is asked of a walk, read from the command line and the environment. What is wrong or missing is one line each. */

import { StepError } from './client.ts';

export const usage = `npm run smoke -- <url of the API>

Walks the main journey: signs in, makes an organization, a destination, a project and a backup, reads the backup, plans a restore
of it, tries a webhook, and removes what it made. Every document of the project is read, which Google bills; nothing is written to it.

Who calls, one of:
  (nothing)               sign in in a browser; http://localhost/callback must be among allowedRedirectUris
  SMOKE_TOKEN             an access token, or the API key of a service account with every scope
  SMOKE_REFRESH_TOKEN     a refresh token; it is used up, and the session ended
Where:
  SMOKE_ORGANIZATION_ID   an organization to walk in; needed with an API key. Otherwise one is made, and deleted
  SMOKE_PROJECT           the id of a Google Cloud project with a Firestore database, or the JSON that POST /projects takes,
                          or the id (prj_…) of a connected one
  SMOKE_DESTINATION       the JSON that POST /storage-destinations takes, or the id (dst_…) of one that is there
What else:
  SMOKE_COLLECTIONS       a,b: back up these only
  SMOKE_WEBHOOK_URL       https://… that answers a POST with 2xx; without it no webhook is tried
  SMOKE_MINUTES           how long the backup may take (15)

Against a stage on this machine none is needed: its demo project is backed up into its demo bucket.
Exit code 0: all went well. 1: a step failed, or something could not be removed. 2: asked for wrongly.`;

/** Something that is there already by its id, or the body that makes it. */
export type Thing = { readonly id: string } | { readonly body: Readonly<Record<string, unknown>> };

export interface Wish {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: string | undefined;
  readonly refreshToken: string | undefined;
  readonly organizationId: string | undefined;
  readonly project: Thing | undefined;
  readonly destination: Thing | undefined;
  /** None is all. */
  readonly collections: readonly string[];
  readonly webhookUrl: string | undefined;
  readonly minutes: number;
  /** A stage on this machine: its identity provider lets anyone in. */
  readonly isLocal: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What keeps a walk from beginning: a line for each thing that is wrong. */
export class WishError extends StepError {}

/** What the demo of a new stage has made. */
const local = {
  project: 'demo-project',
  destination: JSON.stringify({
    type: 's3',
    bucket: 'demo-backups',
    credentials: { accessKeyId: 'smoke', secretAccessKey: 'smoke' },
  }),
};

/** Throws what is wrong; what is missing is told when it is needed. */
export const readWish = (words: readonly string[], env: Environment): Wish => {
  const lines: string[] = [];
  const given = (name: string): string | undefined => env[name]?.trim() || undefined;
  const url = urlOf(words, lines);
  const isLocal = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const [token, organizationId, webhookUrl] = [given('SMOKE_TOKEN'), given('SMOKE_ORGANIZATION_ID'), given('SMOKE_WEBHOOK_URL')];
  if (token?.startsWith('fb_sa_') && organizationId === undefined)
    lines.push('SMOKE_ORGANIZATION_ID: is needed with an API key, which belongs to one organization');
  if (organizationId !== undefined && !organizationId.startsWith('org_'))
    lines.push('SMOKE_ORGANIZATION_ID: must be the id of an organization, org_…');
  if (webhookUrl !== undefined && !(URL.canParse(webhookUrl) && new URL(webhookUrl).protocol === 'https:'))
    lines.push('SMOKE_WEBHOOK_URL: must be an https address');
  const minutes = Number(given('SMOKE_MINUTES') ?? 15);
  if (!(minutes > 0 && minutes <= 1_440)) lines.push('SMOKE_MINUTES: must be a number from 1 to 1440');
  const projectText = given('SMOKE_PROJECT') ?? (isLocal ? local.project : undefined);
  const project = thingOf('SMOKE_PROJECT', projectText, 'prj_', lines, (sourceProjectId) => ({ sourceProjectId }));
  const destinationText = given('SMOKE_DESTINATION') ?? (isLocal ? local.destination : undefined);
  const destination = thingOf('SMOKE_DESTINATION', destinationText, 'dst_', lines);
  const collections = (given('SMOKE_COLLECTIONS') ?? '').split(',').flatMap((name) => name.trim() || []);
  if (lines.length > 0 || !url) throw new WishError(lines.join('\n'));
  const refreshToken = given('SMOKE_REFRESH_TOKEN');
  return {
    ...{ url: url.href.replace(/\/+$/, ''), token, refreshToken, organizationId, project, destination },
    ...{ collections, webhookUrl, minutes, isLocal },
  };
};

/** The settings without which the journey cannot be walked to its end. */
export const missing = ({ project, destination }: Wish): readonly string[] => [
  ...(project ? [] : ['SMOKE_PROJECT: is not set; it says what to back up, and --help how']),
  ...(destination ? [] : ['SMOKE_DESTINATION: is not set; it says where to, and --help how']),
];

const urlOf = ([text, ...more]: readonly string[], lines: string[]): URL | undefined => {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const isAddress = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && more.length === 0;
  if (!isAddress) lines.push('<url>: must be one address such as https://api.example.com, the output ApiUrl, without a path');
  return isAddress ? url : undefined;
};

/** What was given is not repeated: it may hold a key. */
const thingOf = (
  name: string,
  text: string | undefined,
  prefix: string,
  lines: string[],
  fromWord?: (word: string) => Readonly<Record<string, unknown>>,
): Thing | undefined => {
  if (text === undefined) return undefined;
  if (text.startsWith(prefix)) return { id: text };
  if (text.startsWith('{')) {
    const body = objectIn(text);
    if (body) return { body };
    lines.push(`${name}: is no JSON`);
  } else if (fromWord) return { body: fromWord(text) };
  else lines.push(`${name}: must be JSON, or an id ${prefix}…`);
  return undefined;
};

const objectIn = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
};

/** Every text that must not be printed: whatever lets somebody in. */
export const secretsOf = ({ token, refreshToken, project, destination }: Wish): readonly string[] => {
  const inside = [project, destination].flatMap((thing) => (thing && 'body' in thing ? textsIn(thing.body.credentials) : []));
  return [token, refreshToken, ...inside].filter((text): text is string => text !== undefined && text.length >= 8);
};

const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
