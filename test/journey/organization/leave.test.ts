/** Members leave, and what depended on their membership ends with it. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { members } from '../../../shared/contract/endpoints/members.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { serviceAccount } from '../../../shared/contract/endpoints/service-account.ts';
import { newProject } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { untilMails } from '../../harness/stage/mail.ts';
import { addMember, newOrganization, newServiceAccountKey } from '../../harness/stage/organization.ts';
import { type Person, signIn } from '../../harness/stage/person.ts';
import { itemsOf } from '../../harness/stage/table.ts';

const by = (person: Person, org: string) => ({ token: person.accessToken, org });
const refusal = ({ status, body }: { status: number; body: { error: { code: string } } }) => [status, body.error.code];
const connect = async (person: Person, org: string): Promise<string> => {
  const body = { name: 'Shop', sourceProjectId: `source-${randomUUID().slice(0, 8)}` };
  const made = await call(projects.create, { ...by(person, org), body });
  equal(made.status, 201, made.text);
  return made.body.data.id;
};

test('leave: every member can leave; the owner only after a transfer', async () => {
  const organization = await newOrganization();
  const { id: org, owner } = organization;
  for (const role of ['viewer', 'member', 'admin'] as const) {
    const person = await addMember(organization, role);
    const left = await call(organizations.leave, by(person, org));
    deepEqual([left.status, left.body.message], [200, 'You left the organization']);
    deepEqual(refusal(await call(organizations.current, by(person, org))), [403, 'FORBIDDEN']);
    ok(!(await call(organizations.list, { token: person.accessToken })).text.includes(org));
  }
  deepEqual(refusal(await call(organizations.leave, by(owner, org))), [409, 'CANNOT_REMOVE_OWNER']);
  const heir = await addMember(organization, 'admin');
  await call(members.update, { ...by(owner, org), params: { userId: heir.userId }, body: { role: 'owner' } });
  equal((await call(organizations.leave, by(owner, org))).status, 200);
  equal((await call(organizations.current, by(heir, org))).body.data.statistics.memberCount, 1);
  deepEqual(refusal(await call(organizations.leave, by(await signIn(), org))), [403, 'FORBIDDEN']);
});

test('leave: projects connected with the grant of a former member are unauthorized at once, others are not', async () => {
  const organization = await newOrganization();
  const { id: org, owner } = organization;
  const [leaver, removed] = [await addMember(organization, 'member'), await addMember(organization, 'admin')];
  const own = (await newProject(organization)).id;
  const orphans = [await connect(leaver, org), await connect(removed, org)];
  equal((await call(organizations.leave, by(leaver, org))).status, 200);
  equal((await call(members.remove, { ...by(owner, org), params: { userId: removed.userId } })).status, 200);
  const statusOf = async (projectId: string) =>
    (await call(projects.get, { ...by(owner, org), params: { projectId } })).body.data.status;
  deepEqual(await Promise.all([own, ...orphans].map(statusOf)), ['connected', 'unauthorized', 'unauthorized']);
  const events = (await itemsOf(`ORG#${org}`)).filter(({ type }) => type === 'member.left');
  const named = events.map(({ data }) => (data as { projects: { id: string; status: string }[] }).projects);
  deepEqual(
    named.map((list) => list.map(({ id, status }) => [id, status])),
    orphans.map((id) => [[id, 'unauthorized']]),
  );
  const actions = (await itemsOf(`AUDIT#${org}`)).map(({ action }) => action);
  equal(actions.filter((action) => action === 'project.unauthorized').length, 2);
  const again = await call(projects.reconnect, { ...by(owner, org), params: { projectId: orphans[0]! } });
  deepEqual([again.status, again.body.data.status], [200, 'connected']);
});

test('leave: an API key ends with the membership of its maker, unless another admin takes it over', async () => {
  const organization = await newOrganization();
  const { id: org, owner } = organization;
  const maker = await addMember(organization, 'admin');
  const apiKey = await newServiceAccountKey({ ...organization, owner: maker }, ['organization:read']);
  const use = async (token: string) => (await call(organizations.current, { token, org })).status;
  equal(await use(apiKey), 200);
  const account = await call(serviceAccount.get, by(owner, org));
  deepEqual([account.body.data.createdBy, account.body.data.status], [maker.userId, 'active']);
  equal((await call(members.remove, { ...by(owner, org), params: { userId: maker.userId } })).status, 200);
  const refused = await call(organizations.current, { token: apiKey, org });
  deepEqual(refusal(refused), [401, 'UNAUTHORIZED']);
  match(refused.body.error.message, /left the organization/);
  equal((await call(serviceAccount.get, by(owner, org))).body.data.status, 'ended');
  deepEqual(refusal(await call(serviceAccount.takeOver, by(owner, org))), [409, 'CONFLICT']);
  const rotated = await call(serviceAccount.rotateKey, by(owner, org));
  deepEqual([rotated.status, rotated.body.data.previousKeyExpiresAt], [200, null], rotated.text);
  deepEqual([await use(apiKey), await use(rotated.body.data.apiKey)], [401, 200]);

  const next = await addMember(organization, 'admin');
  equal((await call(serviceAccount.takeOver, by(next, org))).body.data.createdBy, next.userId);
  equal((await call(serviceAccount.takeOver, by(owner, org))).body.data.createdBy, owner.userId);
  equal((await call(organizations.leave, by(next, org))).status, 200);
  equal(await use(rotated.body.data.apiKey), 200);
  const actions = (await itemsOf(`AUDIT#${org}`)).map(({ action }) => String(action));
  deepEqual(
    actions.filter((action) => action.startsWith('service_account.')),
    ['created', 'ended', 'key_rotated', 'taken_over', 'taken_over'].map((name) => `service_account.${name}`),
  );
});

test('deleted organizations: the owner gets an e-mail and sees them until the deadline; other members do not', async () => {
  const organization = await newOrganization();
  const { id, owner, name } = organization;
  const admin = await addMember(organization, 'admin');
  const listed = async (person: Person, status?: string) =>
    (await call(organizations.list, { token: person.accessToken, ...(status && { query: { status } }) })).body.data.filter(
      (one) => one.id === id,
    );
  deepEqual(await listed(owner, 'deleted'), []);
  const removed = await call(organizations.remove, { ...by(owner, id), body: { confirmName: name } });
  const [found] = await listed(owner, 'deleted');
  deepEqual([found?.role, found?.recoveryDeadline], ['owner', removed.body.data.recoveryDeadline]);
  ok(found?.deletedAt);
  deepEqual(
    { owner: await listed(owner), adminDeleted: await listed(admin, 'deleted'), admin: await listed(admin) },
    { owner: [], adminDeleted: [], admin: [] },
  );
  const [mail] = await untilMails(owner.email);
  const { text, subject } = mail!;
  ok(subject === `Organization deleted: ${name}` && text.includes(`/organizations/${id}/recover`));
  ok(text.includes(String(removed.body.data.recoveryDeadline).slice(0, 10)));
  equal((await call(organizations.recover, { token: owner.accessToken, params: { id } })).status, 200);
  deepEqual([await listed(owner, 'deleted'), (await listed(owner)).length], [[], 1]);
  const bad = await call(organizations.list, { token: owner.accessToken, query: { status: 'x' } });
  deepEqual(refusal(bad), [400, 'VALIDATION_ERROR']);
});
