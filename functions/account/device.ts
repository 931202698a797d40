/** Sign-in of a device: start, poll, and the decision of a person in the console. */
import {
  accessDenied,
  auditEverywhere,
  beginDeviceSignIn,
  checkPoll,
  claimPoll,
  type DeviceRecord,
  decideDevice,
  findWaitingDevice,
  isRevokedWithAll,
  openSession,
  readApproval,
  readDevice,
  redeemDevice,
  revokeMisusedSession,
} from '../../shared/account/index.ts';
import type { Origin } from '../../shared/audit/index.ts';
import { device } from '../../shared/contract/endpoints/device.ts';
import { ApiError, unauthorized } from '../../shared/contract/errors.ts';
import { accessTokenSeconds, deviceCodeSeconds, devicePollSeconds } from '../../shared/contract/limits.ts';
import { enqueueForUser } from '../../shared/event/index.ts';
import { handle } from '../../shared/http/index.ts';
import { accessTokenFor, organizationIdsOf, readSignedInUser } from '../../shared/organization/index.ts';
import { env } from '../../shared/platform/index.ts';

export const start = handle(device.start, async ({ body, origin, now }) => {
  const { clientName = null } = body;
  const { deviceCode, userCode, writes } = await beginDeviceSignIn({ clientName, origin }, now);
  const verificationUri = `${env('CONSOLE_URL').replace(/\/$/, '')}/device`;
  return {
    data: {
      deviceCode,
      userCode,
      verificationUri,
      verificationUriComplete: `${verificationUri}?userCode=${userCode}`,
      expiresIn: deviceCodeSeconds,
      interval: devicePollSeconds,
    },
    // There is no user yet whose audit log could have an entry.
    change: { writes, audit: [] },
    actor: { type: 'system' as const, id: 'sign-in', email: null },
  };
});

export const token = handle(device.token, async ({ body, origin, now }) => {
  const record = await readDevice(body.deviceCode);
  if (!record) throw invalidCode();
  const poll = checkPoll(record, now);
  if (poll === 'slow') throw slowDown();
  if (poll === 'replay') throw await replayed(record, origin, now);
  if (poll === 'denied') throw accessDenied('The sign-in was denied');
  if (poll === 'expired') throw new ApiError('EXPIRED_TOKEN', 'The device code has expired. Start the sign-in again');
  const { userId } = record;
  const [isClaimed, person, approval] = await Promise.all([
    claimPoll(record, now),
    userId ? readSignedInUser(userId) : undefined,
    userId ? readApproval(record) : undefined,
  ]);
  if (!isClaimed) throw slowDown();
  if (!person) {
    const details = { interval: devicePollSeconds };
    throw new ApiError('AUTHORIZATION_PENDING', 'Waiting for a person to enter the code in the console', details);
  }
  const { clientName: name } = record;
  const signIn = { userId: person.user.id, kind: 'device', name, ...approval, origin } as const;
  const { session, refreshToken, writes } = openSession(signIn, now);
  if (await isRevokedWithAll(session, now))
    throw accessDenied('The person who approved this sign-in has ended all of their sign-ins since. Start again');
  const notice = enqueueForUser(person.user.id, { kind: 'notify-device-sign-in', sessionId: session.id }, now);
  const entry = { scope: person.user.id, resource: { type: 'session', id: session.id }, details: detailsOf(record) };
  return {
    data: {
      accessToken: await accessTokenFor(person, session.id, now),
      refreshToken,
      expiresIn: accessTokenSeconds,
      tokenType: 'Bearer' as const,
    },
    change: { writes: [...redeemDevice(record, session, slowDown), ...writes, notice], audit: [entry] },
    actor: person.actor,
  };
});

export const show = handle(device.show, async ({ query, now }) => {
  const record = await findWaitingDevice(query.userCode, now);
  if (!record) throw unknownCode();
  return { data: { ...record, expiresAt: new Date(record.expiresAt * 1_000).toISOString() } };
});

export const decide = handle(device.decide, async ({ body, user, now }) => {
  const { userCode, decision } = body;
  const status = decision === 'approve' ? 'approved' : 'denied';
  const record = await findWaitingDevice(userCode, now);
  if (!record) throw unknownCode();
  const entry = {
    resource: { type: 'user', id: user.userId },
    action: `auth.device_${status}` as const,
    details: { ...detailsOf(record), ip: record.ip, location: record.location },
  };
  // A device gets access to the organizations, too, so their admins see the approval.
  const organizationIds = status === 'approved' ? await organizationIdsOf(user.userId) : [];
  return {
    data: { status } as const,
    change: {
      writes: await decideDevice(record, { userCode, status, person: user, now, lost: unknownCode }),
      audit: auditEverywhere(user.userId, organizationIds, entry),
    },
  };
});

const detailsOf = ({ clientName }: DeviceRecord) => ({ method: 'device', clientName });

const invalidCode = (): ApiError => unauthorized('The device code is invalid. Start the sign-in again');

const slowDown = (): ApiError =>
  new ApiError('SLOW_DOWN', 'Polled too soon. Wait longer between two polls', { interval: 2 * devicePollSeconds });

/** One message for unknown, expired and used codes: a guess learns nothing. */
const unknownCode = (): ApiError =>
  new ApiError('NOT_FOUND', 'No device waits for this code. Check the letters; a code works once and for ten minutes');

const replayed = async ({ userId, sessionId }: DeviceRecord, origin: Origin, now: Date): Promise<ApiError> => {
  if (userId === undefined || sessionId === undefined) return invalidCode();
  const { actor, organizationIds } = await readSignedInUser(userId);
  return revokeMisusedSession({ action: 'auth.device_code_reused', sessionId, user: actor, organizationIds }, origin, now);
};
