/** Addresses outside the organization: limits per organization, so that no one can spam or silence others through alerts. */
import { equal, match } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { mailMessage } from '../../../../shared/alert/deliver/mail-message.ts';
import { newId } from '../../../../shared/platform/index.ts';
import { active, createAlertEnv, now } from '../../../harness/env/alert-env.ts';

const { table, reset, aws } = await createAlertEnv();
afterAll(() => aws.stop());
beforeEach(() => reset());

const letter = { subject: 'Backup failed', text: 'Backup failed', html: '<p>Backup failed</p>' };
const clock = { now: () => now };
type Sender = Pick<typeof active, 'id' | 'ownerId'>;
const mail = (
  sender: Sender,
  {
    emails,
    isTest = false,
    isMember = false,
  }: { readonly emails: readonly string[]; readonly isTest?: boolean | undefined; readonly isMember?: boolean | undefined },
) => {
  const recipients = emails.map((email) => ({ email, isMember, isOwner: false }));
  return mailMessage({ organization: sender, recipients, sentTo: [], letter, isTest, clock });
};
const other = (ownerId = newId('user')): Sender => ({ id: newId('organization'), ownerId });
const duty = 'duty@partner.example';

test('one organization sends 50 messages a day to an address', async () => {
  for (let n = 0; n < 50; n++) equal((await mail(active, { emails: [duty] })).kind, 'delivered');
  const { kind, error } = await mail(active, { emails: [duty.toUpperCase()] });
  equal(kind, 'rejected');
  match(error ?? '', /at most 50 messages a day/);
  equal((await mail(active, { emails: [duty], isTest: false, isMember: true })).kind, 'delivered', 'a member is not limited');
});

test('another organization cannot use up the messages of an address', async () => {
  const attacker = other();
  for (let n = 0; n < 60; n++) await mail(attacker, { emails: [duty], isTest: true });
  equal((await mail(active, { emails: [duty] })).kind, 'delivered');
});

test('tests of all organizations together reach an address 50 times a day', async () => {
  for (let n = 0; n < 50; n++) equal((await mail(other(), { emails: [duty], isTest: true })).kind, 'delivered');
  equal((await mail(other(), { emails: [duty], isTest: true })).kind, 'rejected');
});

/** As if so many messages had been sent. */
const raise = (sender: string, count: number): void => {
  const pk = `RATE#${sender}#alerts`;
  const counter = table.find(pk).find((item) => item.pk === pk)!;
  table.put({ ...counter, count } as never);
};

test('one organization sends 1,000 messages a day to addresses outside, however many these are', async () => {
  const twenty = (name: string) => Array.from({ length: 20 }, (_, n) => `${name}${n}@partner.example`);
  equal((await mail(active, { emails: twenty('first'), isTest: true })).stored.sentTo?.length, 20);
  raise(active.id, 990);
  equal((await mail(active, { emails: twenty('next'), isTest: true })).stored.sentTo?.length, 10);
  equal((await mail(active, { emails: [duty] })).kind, 'rejected');
  equal((await mail(other(), { emails: [duty] })).kind, 'delivered');
});

test('all organizations of one owner send 5,000', async () => {
  equal((await mail(active, { emails: [duty] })).kind, 'delivered');
  raise(active.ownerId, 4_999);
  equal((await mail(other(active.ownerId), { emails: [duty] })).kind, 'delivered');
  equal((await mail(other(active.ownerId), { emails: [duty] })).kind, 'rejected');
  equal((await mail(other(), { emails: [duty] })).kind, 'delivered');
});
