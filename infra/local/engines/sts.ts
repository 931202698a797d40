/** STS: tells a caller who it is. AWS asks no permission for that. */
import type { AwsError, Service } from './service.ts';

export const openSts = (account: string): Service => ({
  read: ({ body }) => ({ action: new URLSearchParams(body.toString()).get('Action') ?? '', input: {} }),
  needs: ({ action }) => (action === 'GetCallerIdentity' ? [] : undefined),
  answer: async () =>
    xml(
      200,
      `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::${account}:root</Arn><UserId>local</UserId><Account>${account}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
    ),
  refuse: (error: AwsError) =>
    xml(
      error.code === 'AccessDeniedException' ? 403 : error.status,
      `<ErrorResponse><Error><Type>Sender</Type><Code>${error.code}</Code><Message>${error.message}</Message></Error></ErrorResponse>`,
    ),
});

const xml = (status: number, body: string) => ({ status, headers: { 'content-type': 'text/xml' }, body });
