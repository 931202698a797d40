/** Invitations: sent, listed, and accepted once by the invited person only. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { invitations, invites } from '../../../shared/contract/endpoints/invitations.ts';
import { members } from '../../../shared/contract/endpoints/members.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { call, stageUrl } from '../../harness/stage/client.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { mailsTo, untilMails } from '../../harness/stage/mail.ts';
import { addMember, newOrganization } from '../../harness/stage/organization.ts';
import { changeAtProvider, newEmail, type Person, signIn } from '../../harness/stage/person.ts';
import { allItems, getItem, itemsOf, putItem } from '../../harness/stage/table.ts';

const organization = await newOrganization(undefined, 'Räuber & "Söhne"');
const { owner, id: org } = organization;
const by = { token: owner.accessToken, org };

const invite = (email: string, role?: string) => call(invites.create, { ...by, body: { email, ...(role && { role }) } });
const cancel = (inviteId: string) => call(invites.cancel, { ...by, params: { inviteId } });
const resend = (inviteId: string) => call(invites.resend, { ...by, params: { inviteId } });
const tokenOf = (url: string): string => url.split('/').at(-1)!;
const view = (acceptUrl: string) => call(invitations.view, { params: { token: tokenOf(acceptUrl) } });
const accept = (acceptUrl: string, person: Person) =>
  call(invitations.accept, { token: person.accessToken, params: { token: tokenOf(acceptUrl) } });
const received = async ({ accessToken }: Person) => (await call(invitations.list, { token: accessToken })).body.data;
const listed = async () => (await call(invites.list, by)).body.data.map(({ id }) => id);

/** Ages an invitation by eight days, so that it has expired. */
const age = async (id: string, email: string): Promise<void> => {
  const expiresAt = new Date(Date.now() - 1_000).toISOString();
  for (const sk of [`INVITE#${id}`, `ADDRESS#${email}`]) {
    await putItem({ ...(await getItem({ pk: `ORG#${org}`, sk }))!, expiresAt });
  }
};

test('invitation: it is e-mailed, listed and accepted, with events and audit entries', async () => {
  const person = await signIn();
  const made = await invite(person.email.toUpperCase(), 'admin');
  equal(made.status, 201);
  const { id, acceptUrl, expiresAt, createdAt, ...rest } = made.body.data;
  deepEqual(rest, { email: person.email, role: 'admin', status: 'pending' });
  equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 24 * 3_600_000);
  ok(acceptUrl.startsWith(`${stageUrl()}/console/invitations/`));
  deepEqual((await call(invites.list, by)).body.data.find((each) => each.id === id)?.invitedBy, {
    id: owner.userId,
    email: owner.email,
  });

  const [mail] = await untilMails(person.email);
  ok(mail!.text.includes(acceptUrl) && mail!.html.includes(acceptUrl));
  ok(mail!.subject.includes('Räuber & "Söhne"') && mail!.html.includes('Räuber &amp; &quot;Söhne&quot;'));

  const shown = await view(acceptUrl);
  deepEqual(shown.body.data, {
    organization: { id: org, name: organization.name },
    email: person.email,
    role: 'admin',
    status: 'pending',
    invitedBy: { id: owner.userId, email: owner.email },
    expiresAt,
  });

  const accepted = await accept(acceptUrl, person);
  equal(accepted.status, 200);
  deepEqual([accepted.body.data.organization, accepted.body.data.role], [{ id: org, name: organization.name }, 'admin']);
  equal((await call(organizations.current, { token: person.accessToken, org })).status, 200);
  ok(!(await listed()).includes(id));
  equal((await view(acceptUrl)).body.data.status, 'accepted');

  const items = await itemsOf(`ORG#${org}`);
  const types = items.filter(({ sk }) => sk.startsWith('EVENT#')).map(({ type }) => type);
  deepEqual(types.slice(-3), ['invitation.created', 'invitation.accepted', 'member.joined']);
  const entries = await itemsOf(`AUDIT#${org}`);
  const [taken] = entries.filter(({ action }) => action === 'invitation.accepted');
  deepEqual([(taken!.actor as { id: string }).id, taken!.resource], [person.userId, { type: 'invitation', id }]);
});

test('invitation: a name that was stored with invisible characters is shown without them, and confirms the deletion', async () => {
  const other = await newOrganization(undefined, 'Ac\u200bme');
  const key = { pk: `ORG#${other.id}`, sk: 'META' };
  equal((await getItem(key))?.name, 'Acme');
  await putItem({ ...(await getItem(key))!, name: '\u202eemcA\u2066\u200b' });
  const theirs = { token: other.owner.accessToken, org: other.id };
  const made = await call(invites.create, { ...theirs, body: { email: newEmail() } });
  equal((await view(made.body.data.acceptUrl)).body.data.organization.name, 'emcA');
  equal((await call(organizations.current, theirs)).body.data.name, 'emcA');
  equal((await call(organizations.remove, { ...theirs, body: { confirmName: 'emcA' } })).status, 200);
});

test('invitation: nothing in the table or the logs can be used to accept it', async () => {
  const { acceptUrl } = (await invite(newEmail())).body.data;
  const secret = tokenOf(acceptUrl).split('.')[2]!;
  ok(secret.length >= 43);
  await call(invitations.view, { params: { token: tokenOf(acceptUrl) } });
  ok(!JSON.stringify(await allItems()).includes(secret));
  ok(!logs().includes(secret));
});

test('invitation: an address is invited once, case-insensitively, and not if it is a member', async () => {
  const email = newEmail();
  const { id } = (await invite(email)).body.data;
  for (const again of [email, email.toUpperCase(), ` ${email} `]) {
    const { status, body } = await invite(again);
    deepEqual([status, body.error.code], [409, 'INVITATION_EXISTS']);
  }
  equal((await invite(owner.email)).body.error.code, 'INVITATION_EXISTS');
  const member = await addMember(organization, 'viewer');
  equal((await invite(member.email)).body.error.code, 'INVITATION_EXISTS');
  // A plus-address is a different address.
  equal((await invite(email.replace('@', '+x@'))).status, 201);
  equal((await cancel(id)).status, 200);
  equal((await invite(email)).status, 201);
});

test('invitation: of two concurrent invitations of one address one succeeds', async () => {
  const email = newEmail();
  const results = await Promise.all([invite(email), invite(email), invite(email)]);
  deepEqual(results.map(({ status }) => status).sort(), [201, 409, 409]);
  for (const { status, body } of results) if (status === 409) equal(body.error.code, 'INVITATION_EXISTS');
});

test('invitation: twenty concurrent invitations of different addresses all succeed', async () => {
  const { owner: host, id } = await newOrganization();
  const options = { token: host.accessToken, org: id };
  const results = await Promise.all(
    Array.from({ length: 20 }, () => call(invites.create, { ...options, body: { email: newEmail() } })),
  );
  deepEqual(new Set(results.map(({ status }) => status)), new Set([201]));
});

for (const [what, body, field] of [
  ['the role owner', { email: 'a@example.com', role: 'owner' }, 'role'],
  ['an unknown role', { email: 'a@example.com', role: 'boss' }, 'role'],
  ['no address', {}, 'email'],
  ['what is no address', { email: 'a@' }, 'email'],
  ['two addresses', { email: 'a@example.com, b@example.com' }, 'email'],
  ['a line break in the address', { email: 'a@example.com\nbcc:b@example.com' }, 'email'],
  ['an address of 300 characters', { email: `${'a'.repeat(290)}@example.com` }, 'email'],
] as const) {
  test(`invitation: ${what} is refused`, async () => {
    const answer = await call(invites.create, { ...by, body });
    deepEqual(
      { status: answer.status, code: answer.body.error.code, field: answer.body.error.details.field },
      { status: 400, code: 'VALIDATION_ERROR', field },
    );
    if (field === 'role') deepEqual(answer.body.error.details.allowedValues, ['viewer', 'member', 'admin']);
  });
}

test('invitation: resending invalidates the previous link', async () => {
  const person = await signIn();
  const { id, acceptUrl, expiresAt } = (await invite(person.email)).body.data;
  await untilMails(person.email);
  const sent = await resend(id);
  equal(sent.status, 200);
  notEqual(sent.body.data.acceptUrl, acceptUrl);
  ok(sent.body.data.expiresAt > expiresAt && sent.body.data.resentAt);
  equal((await received(person))[0]?.token, tokenOf(sent.body.data.acceptUrl), 'the newest link is offered');
  const [mail] = await untilMails(person.email, 2);
  ok(mail?.text.includes(sent.body.data.acceptUrl));
  for (const answer of [await view(acceptUrl), await accept(acceptUrl, person)]) {
    deepEqual([answer.status, answer.body.error.code], [404, 'INVITATION_NOT_FOUND']);
  }
  equal((await accept(sent.body.data.acceptUrl, person)).status, 200);
});

test('invitation: a cancelled one cannot be accepted', async () => {
  const person = await signIn();
  const { id, acceptUrl } = (await invite(person.email)).body.data;
  deepEqual(Object.keys((await cancel(id)).body), ['success', 'message']);
  ok(!(await listed()).includes(id));
  equal((await view(acceptUrl)).body.data.status, 'cancelled');
  for (const answer of [await accept(acceptUrl, person), await cancel(id), await resend(id)]) {
    deepEqual([answer.status, answer.body.error.code], [409, 'CONFLICT']);
  }
  const actions = (await itemsOf(`AUDIT#${org}`))
    .filter(({ resource }) => (resource as { id: string }).id === id)
    .map(({ action }) => action);
  deepEqual(actions, ['invitation.created', 'invitation.cancelled']);
});

test('invitation: the invited person declines it, and the address can be invited again', async () => {
  const [person, stranger] = [await signIn(), await signIn()];
  const { id, acceptUrl } = (await invite(person.email)).body.data;
  const decline = (who: Person) => call(invitations.decline, { token: who.accessToken, params: { token: tokenOf(acceptUrl) } });
  equal((await decline(stranger)).body.error.code, 'FORBIDDEN');
  const declined = await decline(person);
  deepEqual(declined.body.data, { organization: { id: org, name: organization.name }, status: 'declined' });
  equal((await view(acceptUrl)).body.data.status, 'declined');
  ok(!(await listed()).includes(id));
  for (const answer of [await accept(acceptUrl, person), await decline(person)]) {
    deepEqual([answer.status, answer.body.error.code], [409, 'CONFLICT']);
  }
  equal((await invite(person.email)).status, 201);
});

test('invitation: an expired one is not listed, and can be resent or replaced', async () => {
  const [one, two] = [await signIn(), await signIn()];
  const first = (await invite(one.email)).body.data;
  await age(first.id, one.email);
  // The link is derived from the expiry, which this test has changed.
  equal((await view(first.acceptUrl)).body.error.code, 'INVITATION_NOT_FOUND');
  ok(!(await listed()).includes(first.id));
  const again = (await resend(first.id)).body.data;
  ok((await listed()).includes(first.id));
  equal((await accept(again.acceptUrl, one)).status, 200);

  const second = (await invite(two.email)).body.data;
  await age(second.id, two.email);
  const replacement = await invite(two.email);
  equal(replacement.status, 201);
  equal((await resend(second.id)).body.error.code, 'INVITATION_NOT_FOUND');
  equal((await accept(replacement.body.data.acceptUrl, two)).status, 200);
});

test('invitation: only the invited person with a currently verified address can accept', async () => {
  const invited = newEmail();
  const { acceptUrl } = (await invite(invited)).body.data;
  const other = await signIn();
  const unverified = newEmail('unverified');
  const second = (await invite(unverified)).body.data;
  for (const answer of [await accept(acceptUrl, other), await accept(second.acceptUrl, await signIn(unverified))]) {
    deepEqual([answer.status, answer.body.error.code], [403, 'FORBIDDEN']);
  }
  // The token has the old address; the profile, which is read at this call, has the new one.
  const moved = await signIn();
  await changeAtProvider(moved.email, { email: invited });
  await signIn(invited);
  equal((await accept(acceptUrl, moved)).status, 200);
});

test('invitation: accepting requires signing in', async () => {
  const { acceptUrl } = (await invite(newEmail())).body.data;
  equal((await call(invitations.accept, { params: { token: tokenOf(acceptUrl) } })).status, 401);
});

test('invitation: of two concurrent acceptances one succeeds, the other gets 409', async () => {
  for (let round = 0; round < 3; round++) {
    const person = await signIn();
    const { acceptUrl } = (await invite(person.email)).body.data;
    const before = (await call(organizations.current, by)).body.data.statistics.memberCount;
    const results = await Promise.all([accept(acceptUrl, person), accept(acceptUrl, person)]);
    deepEqual(results.map(({ status }) => status).sort(), [200, 409]);
    equal(results.find(({ status }) => status === 409)?.body.error.code, 'CONFLICT');
    equal((await call(organizations.current, by)).body.data.statistics.memberCount, before + 1);
  }
});

test('invitation: of a concurrent acceptance and cancellation one succeeds', async () => {
  const person = await signIn();
  const { id, acceptUrl } = (await invite(person.email)).body.data;
  const results = await Promise.all([accept(acceptUrl, person), cancel(id)]);
  deepEqual(results.map(({ status }) => status).sort(), [200, 409]);
  const isMember = (await call(members.list, by)).body.data.some(({ userId }) => userId === person.userId);
  equal(isMember, results[0].status === 200);
});

test('invitation: an unknown id, an altered link and a link to another one are not found', async () => {
  const theirs = await newOrganization();
  const made = await call(invites.create, { token: theirs.owner.accessToken, org: theirs.id, body: { email: newEmail() } });
  for (const id of ['inv_01JWNVAV000000000000000000', 'nonsense', 'META']) {
    for (const answer of [await cancel(id), await resend(id)]) {
      deepEqual([answer.status, answer.body.error.code], [404, 'INVITATION_NOT_FOUND']);
    }
  }
  const [organizationPart, , signature] = tokenOf(made.body.data.acceptUrl).split('.');
  const [, ours] = tokenOf((await invite(newEmail())).body.data.acceptUrl).split('.');
  for (const token of ['x', 'a.b.c', `${organizationPart}.${ours}.${signature}`, `${tokenOf(made.body.data.acceptUrl)}x`]) {
    const answer = await call(invitations.view, { params: { token } });
    deepEqual([answer.status, answer.body.error.code], [404, 'INVITATION_NOT_FOUND']);
  }
});

test('invitation: the list is newest first, and every page but the last is full', async () => {
  const { owner: host, id } = await newOrganization();
  const options = { token: host.accessToken, org: id };
  const ids: string[] = [];
  for (let n = 0; n < 7; n++) ids.push((await call(invites.create, { ...options, body: { email: newEmail() } })).body.data.id);
  // Ended invitations are in between.
  for (const inviteId of [ids[1]!, ids[3]!, ids[5]!]) await call(invites.cancel, { ...options, params: { inviteId } });
  const expected = [ids[6], ids[4], ids[2], ids[0]];
  const first = await call(invites.list, { ...options, query: { limit: '2' } });
  deepEqual([first.body.data.map((each) => each.id), first.body.pagination.hasMore], [expected.slice(0, 2), true]);
  const second = await call(invites.list, { ...options, query: { limit: '2', cursor: first.body.pagination.nextCursor! } });
  deepEqual(
    [second.body.data.map((each) => each.id), second.body.pagination],
    [expected.slice(2), { nextCursor: null, hasMore: false }],
  );
});

test('invitation: the same Idempotency-Key creates one invitation, one link and one e-mail', async () => {
  const email = newEmail();
  const options = { ...by, body: { email }, headers: { 'idempotency-key': email } };
  const [one, two] = await Promise.all([call(invites.create, options), call(invites.create, options)]);
  deepEqual([one.status, two.status], [201, 201]);
  deepEqual(one.body.data, two.body.data);
  match(one.body.data.acceptUrl, /invitations\//);
  await untilMails(email);
  await pause(300);
  equal((await mailsTo(email)).length, 1);
});

test('invitation: resending has its own rate limit with Retry-After', async () => {
  const { id } = (await invite(newEmail())).body.data;
  await cancel(id);
  // The limit is 30 per clock minute: concurrent calls span at most two minutes, however slow they are.
  const answers = await Promise.all(Array.from({ length: 61 }, () => resend(id)));
  const limited = answers.filter(({ status }) => status !== 409);
  ok(limited.length > 0, '61 calls and no limit');
  for (const { status, body, headers } of limited) {
    deepEqual([status, body.error.code], [429, 'RATE_LIMITED']);
    ok(Number(headers.get('retry-after')) > 0);
  }
});

test('invitation: one address gets at most 10 e-mails a day from one caller, across all their organizations', async () => {
  const caller = await signIn();
  const body = { email: newEmail() };
  const inviteFrom = async () => {
    const { id } = await newOrganization(caller);
    return call(invites.create, { token: caller.accessToken, org: id, body });
  };
  const first = await inviteFrom();
  equal(first.status, 201, first.text);
  for (let n = 2; n <= 10; n++) equal((await inviteFrom()).status, 201);
  const refused = await inviteFrom();
  deepEqual([refused.status, refused.body.error.code], [429, 'RATE_LIMITED']);
  const { field, limit, retryAfterSeconds } = refused.body.error.details;
  deepEqual(
    { field, limit, retryAfter: Number(refused.headers.get('retry-after')) },
    { field: 'email', limit: 10, retryAfter: retryAfterSeconds },
  );
  // Another caller sees nothing of it.
  const other = await newOrganization();
  equal((await call(invites.create, { token: other.owner.accessToken, org: other.id, body })).status, 201);
  equal((await untilMails(body.email, 11)).length, 11);
});

test('invitation: it cannot be accepted for a deleted organization', async () => {
  const gone = await newOrganization();
  const person = await signIn();
  const options = { token: gone.owner.accessToken, org: gone.id };
  const { acceptUrl } = (await call(invites.create, { ...options, body: { email: person.email } })).body.data;
  await call(organizations.remove, { ...options, body: { confirmName: gone.name } });
  for (const answer of [await view(acceptUrl), await accept(acceptUrl, person)]) {
    deepEqual([answer.status, answer.body.error.code], [404, 'INVITATION_NOT_FOUND']);
  }
});

test('invitation: who signs in without the link is offered it, and answers it with its token', async () => {
  const person = await signIn();
  deepEqual(await received(person), []);
  const made = await invite(person.email.toUpperCase(), 'viewer');
  const [offered, ...others] = await received(person);
  deepEqual(others, []);
  deepEqual(offered, {
    id: made.body.data.id,
    organization: { id: org, name: organization.name },
    email: person.email,
    role: 'viewer',
    invitedBy: { id: owner.userId, email: owner.email },
    createdAt: made.body.data.createdAt,
    expiresAt: made.body.data.expiresAt,
    token: tokenOf(made.body.data.acceptUrl),
  });
  // Nobody else is told, with whatever organization or key.
  deepEqual(await received(owner), []);
  equal((await call(invitations.list, {})).status, 401);

  await cancel(made.body.data.id);
  deepEqual(await received(person), []);

  await invite(person.email);
  const [again] = await received(person);
  equal((await call(invitations.decline, { token: person.accessToken, params: { token: again!.token } })).status, 200);
  deepEqual(await received(person), []);

  const expired = await invite(person.email);
  await age(expired.body.data.id, person.email);
  deepEqual(await received(person), []);
  await invite(person.email);
  const [last] = await received(person);
  equal((await call(invitations.accept, { token: person.accessToken, params: { token: last!.token } })).status, 200);
  deepEqual(await received(person), []);
  deepEqual(
    (await allItems()).filter(({ pk, sk }) => pk.startsWith('INVITED#') && sk === `ORG#${org}` && !pk.includes('@')).length,
    (await listed()).length,
    'one link for each pending invitation, without the address',
  );
});

test('invitation: an address that is not verified is offered nothing', async () => {
  const email = newEmail();
  await invite(email);
  await changeAtProvider(email, { emailVerified: false });
  deepEqual(await received(await signIn(email)), []);
  await changeAtProvider(email, { emailVerified: true });
  equal((await received(await signIn(email))).length, 1);
});
