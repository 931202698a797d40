/** The first minutes with a stage: someone signed in, an organization, and the calls to try. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { demoEmails } from './engines/identity-people.ts';
import { signIn } from './sign-in.ts';
import type { Stage } from './stage.ts';

const demoKind = 'demo';

/** Never fails the stage: what it cannot show it says. */
export const runDemo = async (stage: Stage, dir: string): Promise<void> => {
  try {
    const [email = ''] = demoEmails;
    const { accessToken } = await signIn(stage.url, email);
    const organizationId = await demoOrganization(stage, accessToken);
    const tokenFile = join(dir, 'demo', 'token');
    mkdirSync(join(dir, 'demo'), { recursive: true });
    writeFileSync(tokenFile, accessToken, { mode: 0o600 });
    console.log(introduction(stage, email, organizationId, shortest(tokenFile)));
  } catch (error) {
    console.error(`the demo could not be prepared: ${(error as Error).message}`);
  }
};

const shortest = (path: string): string => {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
};

/** Made once; later starts find it. */
const demoOrganization = async (stage: Stage, accessToken: string): Promise<string> => {
  const known = stage.state.get<string>(demoKind, 'organization');
  if (known) return known;
  const answer = await fetch(`${stage.url}/api/v1/organizations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Analytical Engines' }),
  });
  const { data } = (await answer.json()) as { data?: { id: string } };
  if (!data) throw new Error(`creating the demo organization answered ${answer.status}`);
  stage.state.set(demoKind, 'organization', data.id);
  return data.id;
};

const introduction = (
  { url, identityUrl, firestore }: Stage,
  email: string,
  organizationId: string,
  tokenFile: string,
): string => `
  ${url}/docs             the API, described
  ${url}/_local/outbox    the mails it sent
  ${identityUrl}                  the identity provider: sign in as anyone
  ${firestore.address}                  Firestore (FIRESTORE_EMULATOR_HOST)

${email} is signed in for an hour and owns the organization Analytical Engines. Try:

  curl ${url}/api/v1/auth/me -H "authorization: Bearer $(cat ${tokenFile})"

  curl ${url}/api/v1/organizations/current \\
    -H "authorization: Bearer $(cat ${tokenFile})" -H "x-organization-id: ${organizationId}"

  curl ${url}/api/v1/organizations/current/invites \\
    -H "authorization: Bearer $(cat ${tokenFile})" -H "x-organization-id: ${organizationId}" \\
    -H "content-type: application/json" -d '{"email":"grace@example.com","role":"admin"}'

To sign in as someone else, in a browser: ${url}/api/v1/auth/google
Ctrl-C stops everything; the state stays.
`;
