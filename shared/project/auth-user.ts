/** The users of Firebase Authentication, read page by page over the Identity Toolkit's REST API. */
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { SourceError, type TokenSupplier } from '../firestore/index.ts';
import { chance, env, fetchTrusted, type Tenant } from '../platform/index.ts';
import type { ProjectRecord } from './record.ts';
import { sourceToken } from './source-token.ts';

export interface AuthUser {
  readonly id: string;
  /** The account as the API gives it, password hash and salt included, as JSON. */
  readonly json: Buffer;
}

/** The most the API gives in one answer. */
const pageUsers = 1_000;
const pageMs = 30_000;
const triesMax = 6;
/** The waits are up to 0.2, 0.4, … 3.2 s: about 3 s in all. */
const firstWaitMs = 200;

/** In order of their ids. A project that has never used Firebase Authentication has none. */
export async function* readAuthUsers(
  tenant: Tenant,
  project: ProjectRecord,
  signal?: AbortSignal,
): AsyncGenerator<AuthUser, void, undefined> {
  const token = sourceToken(tenant, project, 'users');
  let pageToken: string | undefined;
  do {
    const page = await askPage(project.sourceProjectId, pageToken, token, signal);
    for (const user of page.users) yield { id: user.localId, json: Buffer.from(JSON.stringify(user)) };
    // The service gives a token with every full page, and none or the same one at the end.
    pageToken = page.nextPageToken === pageToken || page.users.length === 0 ? undefined : page.nextPageToken;
  } while (pageToken !== undefined);
}

const Page = z.object({
  users: z.array(z.looseObject({ localId: z.string().min(1) })).default([]),
  nextPageToken: z.string().min(1).optional(),
});
type Page = z.output<typeof Page>;

const askPage = async (
  sourceProjectId: string,
  pageToken: string | undefined,
  token: TokenSupplier,
  signal: AbortSignal | undefined,
): Promise<Page> => {
  const url = new URL(`/v1/projects/${encodeURIComponent(sourceProjectId)}/accounts:batchGet`, env('IDENTITY_TOOLKIT_URL'));
  url.searchParams.set('maxResults', String(pageUsers));
  if (pageToken !== undefined) url.searchParams.set('nextPageToken', pageToken);
  let refresh = false;
  for (let tries = 1; ; tries++) {
    if (signal?.aborted) throw new SourceError('CANCELLED', 'Reading the users was cancelled.');
    const answer = await ask(url, sourceProjectId, await bearer(token, refresh), signal);
    if (answer.status === 200) return Page.parse(answer.body);
    if (isUnused(answer)) return Page.parse({});
    if (answer.status === 401 && !refresh) {
      refresh = true;
      continue;
    }
    if (answer.status === 401 || answer.status === 403 || answer.status === 404) throw refusal(answer);
    if (answer.status !== 0 && answer.status !== 429 && answer.status < 500)
      throw new SourceError('INTERNAL_ERROR', `The Identity Toolkit did not take a request: ${answer.status} ${wordOf(answer)}`);
    if (tries === triesMax)
      throw new SourceError('INTERNAL_ERROR', `The Identity Toolkit did not answer after ${tries} attempts.`, {
        isTransient: true,
      });
    await wait(firstWaitMs * 2 ** (tries - 1) * (1 - chance() / 2));
  }
};

interface Answer {
  /** 0 where none came. */
  readonly status: number;
  readonly body: unknown;
}

const ask = async (
  url: URL,
  sourceProjectId: string,
  token: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Answer> => {
  if (token === undefined) return { status: 0, body: undefined };
  try {
    // The project whose users they are is also the one whose quota is used.
    const headers = { authorization: `Bearer ${token}`, 'x-goog-user-project': sourceProjectId };
    const answer = await fetchTrusted(url, { headers, ...(signal && { signal }) }, pageMs);
    return { status: answer.status, body: await answer.json() };
  } catch {
    return { status: 0, body: undefined };
  }
};

/** Undefined where no token could be had for now. */
const bearer = async (token: TokenSupplier, refresh: boolean): Promise<string | undefined> => {
  try {
    return await token({ refresh });
  } catch (error) {
    if (error instanceof SourceError) throw error;
    return undefined;
  }
};

/** The API's own word for what is wrong, if it is one. */
const wordOf = ({ body }: Answer): string => {
  const message = (body as { error?: { message?: unknown } } | undefined)?.error?.message;
  return typeof message === 'string' ? message.slice(0, 300) : '';
};

/** What the API says of a project where Firebase Authentication was never set up. */
const isUnused = (answer: Answer): boolean => answer.status >= 400 && wordOf(answer).startsWith('CONFIGURATION_NOT_FOUND');

const refusal = (answer: Answer): SourceError =>
  new SourceError(
    'SOURCE_AUTH_ERROR',
    `The source refused to give the users of Firebase Authentication: ${wordOf(answer) || answer.status}`,
  );
