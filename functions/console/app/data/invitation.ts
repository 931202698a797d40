import { useQuery } from '@tanstack/react-query';
import type { DataOf } from '../../../../shared/client/index.ts';
import { personClient } from '../api/session.ts';

export type InvitationView = DataOf<'GET /invitations/{token}'>;

export const invitationKey = (token: string) => ['invitation', token] as const;

/** An invitation as the link of its e-mail shows it; needs no sign-in. */
export const useInvitation = (token: string) =>
  useQuery({
    queryKey: invitationKey(token),
    queryFn: ({ signal }) => personClient.request('GET /invitations/{token}', { params: { token }, signal }),
  });
