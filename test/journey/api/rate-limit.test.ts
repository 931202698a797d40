/** Rate limits of the running stage. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { invites } from '../../../shared/contract/endpoints/invitations.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { call, type Result } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';

const rate = ({ headers }: Result<unknown>) => ({
  limit: Number(headers.get('ratelimit-limit')),
  remaining: Number(headers.get('ratelimit-remaining')),
  resetSeconds: Number(headers.get('ratelimit-reset')),
});

/** Counters reset each minute, so calls of a few seconds that are counted together wait for the start of one. */
const earlyInTheMinute = async (): Promise<void> => {
  const second = new Date().getUTCSeconds();
  // A busy machine needs half a minute for the calls.
  if (second > 20) await pause((61 - second) * 1_000);
};

const resendLimit = invites.resend.requestsPerMinute;

test('rate limit: resending an invitation repeatedly answers 429 with Retry-After; other callers are unaffected', async () => {
  const organization = await newOrganization();
  const as = { token: organization.owner.accessToken, org: organization.id };
  // Several invitations, because one address gets only a few e-mails a day.
  const invited = await Promise.all(
    Array.from({ length: 5 }, () => call(invites.create, { ...as, body: { email: newEmail() } })),
  );
  const resend = (at: number) =>
    call(invites.resend, { ...as, params: { inviteId: invited[at % invited.length]!.body.data.id } });
  await earlyInTheMinute();
  const first = await resend(0);
  deepEqual(
    { status: first.status, limit: rate(first).limit, remaining: rate(first).remaining },
    { status: 200, limit: resendLimit, remaining: resendLimit - 1 },
  );
  const rest = await Promise.all(Array.from({ length: resendLimit }, (_, at) => resend(at)));
  const statuses = rest.map(({ status }) => status);
  // Concurrent calls may conflict; a 409 counts as well.
  ok(
    statuses.every((status) => [200, 409, 429].includes(status)),
    statuses.join(),
  );
  const refused = rest.filter(({ status }) => status === 429);
  equal(refused.length, 1);
  const last = await resend(0);
  equal(last.status, 429);
  equal(last.body.error.code, 'RATE_LIMITED');
  const { remaining, resetSeconds } = rate(last);
  equal(remaining, 0);
  ok(resetSeconds >= 1 && resetSeconds <= 60);
  equal(last.headers.get('retry-after'), String(resetSeconds));
  equal(last.body.error.details.retryAfterSeconds, resetSeconds);

  const elsewhere = await newOrganization(organization.owner);
  equal((await call(organizations.current, { ...as, org: elsewhere.id })).status, 200);
  equal((await call(organizations.current, as)).status, 200);
});

test('rate limit: every call decrements the remaining count of its actor and organization', async () => {
  const owner = await signIn();
  const [one, other] = [await newOrganization(owner), await newOrganization(owner)];
  const left = async (org: string) => rate(await call(organizations.current, { token: owner.accessToken, org })).remaining;
  await earlyInTheMinute();
  const first = await left(one.id);
  equal(await left(one.id), first - 1);
  equal(await left(other.id), first);
});
