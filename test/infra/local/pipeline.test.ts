/** End-to-end: effects of a change arrive. */
import assert from 'node:assert/strict';
import { test } from 'vitest';
import { invites } from '../../../shared/contract/endpoints/invitations.ts';
import { api, call } from '../../harness/stage/client.ts';
import { untilMails } from '../../harness/stage/mail.ts';
import { addMember, newOrganization } from '../../harness/stage/organization.ts';
import { newEmail } from '../../harness/stage/person.ts';

test('health answers', async () => {
  const { status, body } = await api('GET', '/health?checks=true');
  assert.equal(status, 200, JSON.stringify(body));
});

test('an invitation passes stream, fan-out, queue and worker, and arrives as an e-mail', async () => {
  const organization = await newOrganization();
  const email = newEmail('invited');
  const { status, body } = await call(invites.create, {
    token: organization.owner.accessToken,
    org: organization.id,
    body: { email },
  });
  assert.equal(status, 201);
  const [mail] = await untilMails(email);
  assert.ok(mail?.text.includes(body.data.acceptUrl));
});

test('an invited user can join', async () => {
  const organization = await newOrganization();
  const member = await addMember(organization, 'viewer');
  const { status } = await api('GET', '/api/v1/organizations/current', { token: member.accessToken, org: organization.id });
  assert.equal(status, 200);
});
