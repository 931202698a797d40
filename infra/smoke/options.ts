/** Options of the smoke test from the command line and the environment. Each mistake is reported in one line. */

import { StepError } from './client.ts';

export const usage = `bms smoke <url of the API>, or npm run smoke -- <url> in a checkout

Smoke test of a deployment: signs in, creates an organization, a destination, a project and a backup, verifies and reads the
backup, plans a restore, tests a webhook, and removes everything it created. It reads every document of the project, which Google
bills, and writes nothing to it.

Credentials, one of:
  (none)                  sign in with a browser; allowedRedirectUris must contain http://localhost/callback, its default
  SMOKE_TOKEN             an access token, or the API key of a service account with all scopes
  SMOKE_REFRESH_TOKEN     a refresh token; it is consumed, and its session ends
Resources:
  SMOKE_ORGANIZATION_ID   an existing organization; required with an API key. Default: create one and delete it
  SMOKE_PROJECT           the id of a Google Cloud project with a Firestore database, or the JSON body for POST /projects,
                          or the id (prj_…) of a connected project
  SMOKE_DESTINATION       the JSON body for POST /storage-destinations, or the id (dst_…) of an existing destination
Options:
  SMOKE_COLLECTIONS       a,b: back up only these collections
  SMOKE_WEBHOOK_URL       an https URL that answers a POST with 2xx; default: skip the webhook test
  SMOKE_MINUTES           time limit of the backup (15)

A local stage needs no settings: its demo project is backed up to its demo bucket.
Exit code 0: success. 1: a step failed, or something could not be removed. 2: invalid options.`;

/** An existing resource by id, or the body that creates one. */
export type ResourceOption = { readonly id: string } | { readonly body: Readonly<Record<string, unknown>> };

export interface SmokeOptions {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: string | undefined;
  readonly refreshToken: string | undefined;
  readonly organizationId: string | undefined;
  readonly project: ResourceOption | undefined;
  readonly destination: ResourceOption | undefined;
  /** Empty: all collections. */
  readonly collections: readonly string[];
  readonly webhookUrl: string | undefined;
  readonly minutes: number;
  /** A local stage: its identity provider signs in anyone. */
  readonly isLocal: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Invalid options: one line per mistake. */
export class OptionsError extends StepError {}

/** Created by the demo of a new stage. */
const local = {
  project: 'demo-project',
  destination: JSON.stringify({
    type: 's3',
    bucket: 'demo-backups',
    credentials: { accessKeyId: 'smoke', secretAccessKey: 'smoke' },
  }),
};

/** Throws for invalid options. Missing ones are reported when they are needed. */
export const readOptions = (words: readonly string[], env: Environment): SmokeOptions => {
  const lines: string[] = [];
  const given = (name: string): string | undefined => env[name]?.trim() || undefined;
  const url = urlOf(words, lines);
  const isLocal = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const token = given('SMOKE_TOKEN');
  const organizationId = given('SMOKE_ORGANIZATION_ID');
  const webhookUrl = given('SMOKE_WEBHOOK_URL');
  if (token?.startsWith('fb_sa_') && organizationId === undefined)
    lines.push('SMOKE_ORGANIZATION_ID: is required with an API key, which belongs to one organization');
  if (organizationId !== undefined && !organizationId.startsWith('org_'))
    lines.push('SMOKE_ORGANIZATION_ID: must be the id of an organization, org_…');
  if (webhookUrl !== undefined && !(URL.canParse(webhookUrl) && new URL(webhookUrl).protocol === 'https:'))
    lines.push('SMOKE_WEBHOOK_URL: must be an https URL');
  const minutes = Number(given('SMOKE_MINUTES') ?? 15);
  if (!(minutes > 0 && minutes <= 1_440)) lines.push('SMOKE_MINUTES: must be a number from 1 to 1440');
  const projectText = given('SMOKE_PROJECT') ?? (isLocal ? local.project : undefined);
  const project = thingOf('SMOKE_PROJECT', {
    text: projectText,
    prefix: 'prj_',
    lines,
    fromWord: (sourceProjectId) => ({ sourceProjectId }),
  });
  const destinationText = given('SMOKE_DESTINATION') ?? (isLocal ? local.destination : undefined);
  const destination = thingOf('SMOKE_DESTINATION', { text: destinationText, prefix: 'dst_', lines });
  const collections = (given('SMOKE_COLLECTIONS') ?? '').split(',').flatMap((name) => name.trim() || []);
  if (lines.length > 0 || !url) throw new OptionsError(lines.join('\n'));
  return {
    url: url.href.replace(/\/+$/, ''),
    token,
    refreshToken: given('SMOKE_REFRESH_TOKEN'),
    organizationId,
    project,
    destination,
    collections,
    webhookUrl,
    minutes,
    isLocal,
  };
};

/** The options that the complete test requires. */
export const missing = ({ project, destination }: SmokeOptions): readonly string[] => [
  ...(project ? [] : ['SMOKE_PROJECT: is not set; it selects what to back up (see --help)']),
  ...(destination ? [] : ['SMOKE_DESTINATION: is not set; it selects where to store the backup (see --help)']),
];

const urlOf = ([text, ...more]: readonly string[], lines: string[]): URL | undefined => {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const isAddress = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && more.length === 0;
  if (!isAddress) lines.push('<url>: must be one URL without a path, such as https://api.example.com (the output ApiUrl)');
  return isAddress ? url : undefined;
};

/** Does not repeat the value, which may contain a key. */
const thingOf = (
  name: string,
  {
    text,
    prefix,
    lines,
    fromWord,
  }: {
    readonly text: string | undefined;
    readonly prefix: string;
    readonly lines: string[];
    readonly fromWord?: ((word: string) => Readonly<Record<string, unknown>>) | undefined;
  },
): ResourceOption | undefined => {
  if (text === undefined) return undefined;
  if (text.startsWith(prefix)) return { id: text };
  if (text.startsWith('{')) {
    const body = objectIn(text);
    if (body) return { body };
    lines.push(`${name}: is not valid JSON`);
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

/** All credentials in the options; these are never printed. */
export const secretsOf = ({ token, refreshToken, project, destination }: SmokeOptions): readonly string[] => {
  const inside = [project, destination].flatMap((option) => (option && 'body' in option ? textsIn(option.body.credentials) : []));
  return [token, refreshToken, ...inside].filter((text): text is string => text !== undefined && text.length >= 8);
};

const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
