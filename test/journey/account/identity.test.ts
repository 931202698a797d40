import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { accountKey } from '../../../shared/account/index.ts';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { Browser, locationOf, onThePage } from '../../harness/stage/browser.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { addMember, newOrganization } from '../../harness/stage/organization.ts';
import { changeAtProvider, newEmail, signIn } from '../../harness/stage/person.ts';
import { allItems, getItem } from '../../harness/stage/table.ts';

const redirect_uri = 'http://localhost:51004/callback';

test('identity: the provider subject identifies the user; a changed address is the same user, a reused one another', async () => {
  const before = await signIn(newEmail('first'));
  const renamed = newEmail('renamed');
  await changeAtProvider(before.email, { email: renamed, name: 'New Name', emailVerified: false });
  const after = await signIn(renamed);
  equal(after.userId, before.userId);
  const { body } = await call(auth.me, { token: after.accessToken });
  deepEqual([body.data.email, body.data.name], [renamed, 'New Name']);
  const user = await getItem(accountKey.user(after.userId));
  equal(user?.emailVerified, false);
  notEqual((await signIn(before.email)).userId, before.userId);
});

test('identity: a user with an unverified address can sign in and stays unverified', async () => {
  const { userId } = await signIn(newEmail('unverified'));
  equal((await getItem(accountKey.user(userId)))?.emailVerified, false);
});

test('identity: the profile lists the current organizations and roles, without deleted organizations', async () => {
  const mine = await newOrganization(undefined, 'Mine');
  const theirs = await newOrganization(undefined, 'Theirs');
  const gone = await newOrganization(mine.owner, 'Gone');
  await addMember(theirs, 'viewer', mine.owner);
  const by = { token: mine.owner.accessToken, org: gone.id };
  equal((await call(organizations.remove, { ...by, body: { confirmName: 'Gone' } })).status, 200);
  const { body } = await call(auth.me, { token: mine.owner.accessToken });
  deepEqual(body.data.organizations, [
    { id: mine.id, name: 'Mine', role: 'owner' },
    { id: theirs.id, name: 'Theirs', role: 'viewer' },
  ]);
});

test('identity: four concurrent first sign-ins create one user', async () => {
  const email = newEmail('hasty');
  const people = await Promise.all(Array.from({ length: 4 }, () => signIn(email)));
  equal(new Set(people.map(({ userId }) => userId)).size, 1);
});

test("identity: the provider's refresh token is stored encrypted, with the granted scopes", async () => {
  const { userId } = await signIn();
  const grant = await getItem(accountKey.grant(userId));
  ok(grant?.sealed instanceof Uint8Array && grant.sealed.length > 50);
  ok((grant.scopes as string[]).includes('https://www.googleapis.com/auth/datastore'));
});

test('identity: a user who declines consent gets an error and is not signed in', async () => {
  const browser = new Browser();
  const answer = await browser.go(await onThePage(browser, new URLSearchParams({ deny: 'yes' })));
  equal(answer.status, 401);
  match(await answer.text(), /cancelled/);
  equal(browser.cookie('__Host-bms_access'), undefined);
});

test('identity: a user who withholds a scope is signed in, and the grant lists the missing scope', async () => {
  const browser = new Browser();
  const kept = 'https://www.googleapis.com/auth/cloud-platform';
  const form = new URLSearchParams({ email: newEmail(), chosen: 'yes', scope: kept });
  equal((await browser.go(await onThePage(browser, form))).status, 302);
  const { body } = await call(auth.me, { token: browser.cookie('__Host-bms_access') });
  const { scopes } = (await getItem(accountKey.grant(body.data.id))) as unknown as { scopes: string[] };
  ok(scopes.includes(kept) && !scopes.some((scope) => scope.endsWith('/datastore')), scopes.join(' '));
});

test('identity: no secret or token of a sign-in is in the table or the logs', async () => {
  const browser = new Browser();
  const back = await browser.visitProvider({ login_hint: newEmail(), redirect_uri });
  const [state = '', verifier = ''] = browser.cookie('bms_login')!.split('.');
  const providerCode = new URL(back).searchParams.get('code')!;
  const code = new URL(locationOf(await browser.go(back))).searchParams.get('code')!;
  const { accessToken, refreshToken } = (await call(auth.token, { body: { code, grant_type: 'authorization_code' } })).body.data;
  const next = (await call(auth.refresh, { body: { refreshToken } })).body.data;
  await call(auth.refresh, { body: { refreshToken } });
  await call(auth.me, { token: next.accessToken });
  const signatures = [accessToken, next.accessToken].map((token) => token.split('.')[2]!);
  const refreshes = [refreshToken, next.refreshToken!].map((token) => token.split('.')[1]!);
  const secrets = [state, verifier, providerCode, code, ...signatures, ...refreshes];
  equal(secrets.filter((secret) => secret.length >= 43).length, secrets.length);

  const logs = join(stageVariable('STAGE_DIR'), 'log');
  const written = [JSON.stringify(await allItems()), ...readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'))];
  ok(written.length > 3, 'there are logs to look into');
  for (const secret of secrets) ok(!written.some((text) => text.includes(secret)), secret);
});
