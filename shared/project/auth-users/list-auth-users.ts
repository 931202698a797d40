/** The users of Firebase Authentication, read page by page. */
import * as z from 'zod';
import type { Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../record.ts';
import { callToolkit, isUnused, notTaken, openToolkit, type Toolkit } from './identity-toolkit.ts';

export interface AuthUser {
  readonly id: string;
  /** The account as the API gives it, password hash and salt included, as JSON. */
  readonly json: Buffer;
}

/** The fields of an account; none if it is no JSON. What is wrong with it is not said, because that would quote it. */
export const accountOf = ({ json }: Pick<AuthUser, 'json'>): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(json.toString())) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
};

/** The most the API gives in one answer. */
const pageUsers = 1_000;

/** In order of their ids. A project that has never used Firebase Authentication has none. */
export async function* listAuthUsers(toolkit: Toolkit, signal?: AbortSignal): AsyncGenerator<AuthUser, void, undefined> {
  let pageToken: string | undefined;
  do {
    const page = await askPage(toolkit, pageToken, signal);
    for (const user of page.users) yield { id: user.localId, json: Buffer.from(JSON.stringify(user)) };
    // The service gives a token with every full page, and none or the same one at the end.
    pageToken = page.nextPageToken === pageToken || page.users.length === 0 ? undefined : page.nextPageToken;
  } while (pageToken !== undefined);
}

export const readAuthUsers = (
  tenant: Tenant,
  project: ProjectRecord,
  signal?: AbortSignal,
): AsyncGenerator<AuthUser, void, undefined> => listAuthUsers(openToolkit(tenant, project), signal);

const Page = z.object({
  users: z.array(z.looseObject({ localId: z.string().min(1) })).default([]),
  nextPageToken: z.string().min(1).optional(),
});
type Page = z.output<typeof Page>;

const askPage = async (toolkit: Toolkit, pageToken: string | undefined, signal: AbortSignal | undefined): Promise<Page> => {
  const query = { maxResults: String(pageUsers), ...(pageToken !== undefined && { nextPageToken: pageToken }) };
  const answer = await callToolkit(toolkit, { path: '/accounts:batchGet', query, signal });
  if (isUnused(answer)) return Page.parse({});
  if (answer.status !== 200) throw notTaken(answer);
  return Page.parse(answer.body);
};
