/**
 * STS: GetCallerIdentity, which needs no permission, and AssumeRole. Roles of the template have their trust policies. The stage has no
 * customer accounts, so the name of any other role determines its trust policy:
 * - any role requires an ExternalId; the first one seen is required from then on
 * - a role beginning with `open` accepts any ExternalId or none, like a careless trust policy
 * - a role beginning with `denied` refuses everyone
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Answer, AwsError, type Json, type Service, text } from '../../base/aws-service.ts';
import { openAppendLog } from '../shared/append-log.ts';
import { type SessionKey, type SignedRequest, verifySignature } from './verify-signature.ts';

interface StsOptions {
  readonly dir: string;
  readonly account: string;
  /** Whether the owner of the access key may assume a role of the template. Undefined: the template has no such role. */
  readonly isAssumable?: (role: { roleArn: string; accessKeyId: string; sessionName: string }) => boolean | undefined;
}

export interface Sts extends Service {
  /** The identity of the signer of a GetCallerIdentity request. Throws the error of AWS. */
  callerIdentity(request: SignedRequest, now: Date): { readonly arn: string; readonly account: string };
}

export const openSts = ({ dir, account, isAssumable = () => undefined }: StsOptions): Sts => {
  const externalIds = openAppendLog<string>(join(dir, 'sts', 'external-ids.jsonl'));
  const sessions = new Map<string, SessionKey & { readonly arn: string }>();

  const assume = (input: Json, accessKeyId: string): string => {
    const roleArn = text(input, 'RoleArn');
    const session = text(input, 'RoleSessionName');
    const externalId = typeof input.ExternalId === 'string' ? input.ExternalId : undefined;
    if (!(isAssumable({ roleArn, accessKeyId, sessionName: session }) ?? opens(roleArn, externalId, externalIds)))
      throw new AwsError(
        'AccessDenied',
        `User: arn:aws:iam::${account}:root is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`,
        403,
      );
    const expiresAtMs = Date.now() + Number(input.DurationSeconds ?? 3_600) * 1_000;
    // The ARN of a session has no path.
    const arn = `${roleArn.replace(':iam:', ':sts:').replace(/:role\/(.*\/)?/, ':assumed-role/')}/${session}`;
    const key = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
    const [secretAccessKey, sessionToken] = [randomBytes(30).toString('base64'), randomBytes(96).toString('base64')];
    for (const [known, { expiresAtMs: end }] of sessions) if (end < Date.now()) sessions.delete(known);
    sessions.set(key, { secretAccessKey, sessionToken, expiresAtMs, arn });
    return `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>${key}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${new Date(expiresAtMs).toISOString()}</Expiration></Credentials><AssumedRoleUser><Arn>${escaped(arn)}</Arn><AssumedRoleId>AROALOCAL:${escaped(session)}</AssumedRoleId></AssumedRoleUser></AssumeRoleResult></AssumeRoleResponse>`;
  };

  return {
    read: ({ body }) => {
      const { Action = '', ...input } = Object.fromEntries(new URLSearchParams(body.toString()));
      return { action: Action, input };
    },
    needs: ({ action, input }) =>
      action === 'GetCallerIdentity'
        ? []
        : action === 'AssumeRole'
          ? [{ action: 'sts:AssumeRole', resources: [text(input, 'RoleArn')], keys: externalIdOf(input) }]
          : undefined,
    answer: async ({ action, input }, { headers }) =>
      xml(200, action === 'AssumeRole' ? assume(input, accessKeyOf(headers.authorization)) : identity(account)),
    callerIdentity: (request, now) => {
      verifySignature(request, (key) => sessions.get(key), now);
      const { arn = '' } = sessions.get(accessKeyOf(request.headers.authorization)) ?? {};
      return { arn, account: arn.split(':')[4] ?? '' };
    },
    refuse: (error) =>
      xml(
        error.code.startsWith('AccessDenied') ? 403 : error.status,
        `<ErrorResponse><Error><Type>Sender</Type><Code>${error.code}</Code><Message>${escaped(error.message)}</Message></Error></ErrorResponse>`,
      ),
  };
};

const accessKeyOf = (authorization = ''): string => /Credential=([^/]+)\//.exec(authorization)?.[1] ?? '';

const externalIdOf = ({ ExternalId }: Json): Readonly<Record<string, readonly string[]>> =>
  typeof ExternalId === 'string' ? { 'sts:ExternalId': [ExternalId] } : {};

const opens = (roleArn: string, externalId: string | undefined, seen: ReturnType<typeof openAppendLog<string>>): boolean => {
  const name = roleArn.slice(roleArn.lastIndexOf('/') + 1);
  if (name.startsWith('denied')) return false;
  if (name.startsWith('open')) return true;
  if (externalId === undefined) return false;
  const wanted = seen.get(roleArn);
  if (wanted === undefined) seen.set(roleArn, externalId);
  return wanted === undefined || wanted === externalId;
};

const identity = (account: string): string =>
  `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::${account}:root</Arn><UserId>local</UserId><Account>${account}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;

const xml = (status: number, body: string): Answer => ({ status, headers: { 'content-type': 'text/xml' }, body });

const escaped = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
