import * as z from 'zod/mini';
import type { Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../record.ts';
import { callToolkit, isUnused, openToolkit, rejectedRequest, type Toolkit } from './identity-toolkit.ts';

export interface AuthUser {
  readonly id: string;
  /** The account as JSON from the API, with password hash and salt. */
  readonly json: Buffer;
}

/** The fields of an account; empty if it is not JSON. The error is dropped, because it would quote the account. */
export const userAccountOf = ({ json }: Pick<AuthUser, 'json'>): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(json.toString())) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
};

/** The API's largest page. */
const pageUsers = 1_000;

/** Ordered by id. Empty for a project without Firebase Authentication. */
export async function* listAuthUsers(toolkit: Toolkit, signal?: AbortSignal): AsyncGenerator<AuthUser, void, undefined> {
  let pageToken: string | undefined;
  do {
    const page = await readPage(toolkit, pageToken, signal);
    for (const user of page.users) yield { id: user.localId, json: Buffer.from(JSON.stringify(user)) };
    // Every full page has a token. At the end there is none, or the same one again.
    pageToken = page.nextPageToken === pageToken || page.users.length === 0 ? undefined : page.nextPageToken;
  } while (pageToken !== undefined);
}

export const readAuthUsers = (
  tenant: Tenant,
  project: ProjectRecord,
  signal?: AbortSignal,
): AsyncGenerator<AuthUser, void, undefined> => listAuthUsers(openToolkit(tenant, project), signal);

const Page = z.object({
  users: z._default(z.array(z.looseObject({ localId: z.string().check(z.minLength(1)) })), []),
  nextPageToken: z.optional(z.string().check(z.minLength(1))),
});
type Page = z.output<typeof Page>;

const readPage = async (toolkit: Toolkit, pageToken: string | undefined, signal: AbortSignal | undefined): Promise<Page> => {
  const query = { maxResults: String(pageUsers), ...(pageToken !== undefined && { nextPageToken: pageToken }) };
  const answer = await callToolkit(toolkit, { path: '/accounts:batchGet', query, signal });
  if (isUnused(answer)) return Page.parse({});
  if (answer.status !== 200) throw rejectedRequest(answer);
  return Page.parse(answer.body);
};
