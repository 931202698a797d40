/**
 * Sign-in of a device (RFC 8628). The device polls with its device code; a signed-in person approves the user code that it shows.
 * Both codes are stored as digests and work once.
 */
import type { Origin } from '../audit/index.ts';
import { ApiError } from '../contract/errors.ts';
import { deviceCodeSeconds, devicePollSeconds } from '../contract/limits.ts';
import {
  after,
  check,
  create,
  epochSeconds,
  fingerprint,
  get,
  iso,
  randomToken,
  remove,
  set,
  updateItem,
  type Write,
} from '../platform/index.ts';
import { accountKey, type DeviceRecord, type SessionRecord } from './record.ts';
import { newUserCode, userCodeDigest } from './user-code.ts';

/** An expired record stays this long, so that a late poll learns that the code has expired. */
const expiredKeptSeconds = 3_600;
/** The network may shorten the time between two polls. */
const pollSlackSeconds = 1;

/** A user code that exists already fails the commit, and the caller starts again with another one. */
export const beginDeviceSignIn = async (
  { clientName, origin: { ip, userAgent, location = null } }: { readonly clientName: string | null; readonly origin: Origin },
  now: Date,
): Promise<{ deviceCode: string; userCode: string; writes: readonly Write[] }> => {
  const [deviceCode, userCode] = [randomToken(), newUserCode()];
  const expiresAt = epochSeconds(after(now, deviceCodeSeconds));
  const deviceDigest = fingerprint(deviceCode);
  const record = {
    ...accountKey.device(deviceDigest),
    deviceDigest,
    status: 'pending',
    clientName,
    ip,
    location,
    userAgent,
    createdAt: iso(now),
    expiresAt,
    ttl: expiresAt + expiredKeptSeconds,
  } satisfies DeviceRecord;
  const link = { ...accountKey.userCode(await userCodeDigest(userCode)), deviceDigest, expiresAt, ttl: expiresAt };
  return { deviceCode, userCode, writes: [create(record), create(link)] };
};

/** The device that waits for this code; undefined if the code is unknown, expired or was decided. */
export const findWaitingDevice = async (userCode: string, now: Date): Promise<DeviceRecord | undefined> => {
  const link = await get(accountKey.userCode(await userCodeDigest(userCode)));
  const record = link && (await get(accountKey.device(link.deviceDigest)));
  return record && record.status === 'pending' && record.expiresAt > epochSeconds(now) ? record : undefined;
};

interface DeviceDecision {
  readonly userCode: string;
  readonly status: 'approved' | 'denied';
  readonly person: { readonly userId: string; readonly sessionId: string };
  readonly now: Date;
  /** The error if another call has decided meanwhile. */
  readonly lost: () => ApiError;
}

/** Records the person's decision; the user code cannot be used again. */
export const decideDevice = async (
  { deviceDigest }: Pick<DeviceRecord, 'deviceDigest'>,
  { userCode, status, person, now, lost }: DeviceDecision,
): Promise<readonly Write[]> => [
  set(
    accountKey.device(deviceDigest),
    { status, ...(status === 'approved' && { userId: person.userId, approvedBy: person.sessionId, approvedAt: iso(now) }) },
    { expected: { status: 'pending' }, onConditionFailed: lost },
  ),
  remove(accountKey.userCode(await userCodeDigest(userCode)), lost),
];

export const readDevice = (deviceCode: string): Promise<DeviceRecord | undefined> =>
  get(accountKey.device(fingerprint(deviceCode)));

export type Poll = 'slow' | 'replay' | 'denied' | 'expired' | 'pending' | 'redeem';

/** A poll that comes too soon after the last one is refused first, so that a repeated request does not count as a replay. */
export const checkPoll = ({ polledAt, sessionId, status, expiresAt }: DeviceRecord, now: Date): Poll => {
  const dueMs = polledAt === undefined ? 0 : Date.parse(polledAt) + (devicePollSeconds - pollSlackSeconds) * 1_000;
  if (now.getTime() < dueMs) return 'slow';
  if (sessionId !== undefined) return 'replay';
  if (status === 'denied') return 'denied';
  if (expiresAt <= epochSeconds(now)) return 'expired';
  return status === 'approved' ? 'redeem' : 'pending';
};

/** Counts a poll. False if another one was counted since the record was read. */
export const claimPoll = ({ deviceDigest, polledAt }: DeviceRecord, now: Date): Promise<boolean> =>
  updateItem(set(accountKey.device(deviceDigest), { polledAt: iso(now) }, { expected: { polledAt } }));

/** The error of a device whose request was not granted. */
export const accessDenied = (message: string): ApiError => new ApiError('ACCESS_DENIED', message);

/** How the session of an approved device was granted. Undefined if the session that approved it no longer exists. */
export const readApproval = async ({ approvedBy = '', approvedAt, createdAt }: DeviceRecord) => {
  const approver = await get(accountKey.session(approvedBy));
  return approver && { grantedAt: approvedAt ?? createdAt, approvedBy: { id: approver.id, createdAt: approver.createdAt } };
};

/** Binds the approved device code to its session. Fails if the person has signed out since the approval. */
export const redeemDevice = (
  { deviceDigest, approvedBy = '' }: DeviceRecord,
  session: Pick<SessionRecord, 'id' | 'endsAt'>,
  lost: () => ApiError,
): readonly Write[] => [
  set(
    accountKey.device(deviceDigest),
    { sessionId: session.id, ttl: session.endsAt },
    { expected: { status: 'approved', sessionId: undefined }, onConditionFailed: lost },
  ),
  check(accountKey.session(approvedBy), { revokedAt: undefined }, () =>
    accessDenied('The person who approved this sign-in has signed out. Start again'),
  ),
];
