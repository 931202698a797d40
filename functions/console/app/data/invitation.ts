import { useQuery } from '@tanstack/react-query';
import type { DataOf, ElementOf } from '../../../../shared/client/index.ts';
import { personClient } from '../api/session.ts';

export type InvitationView = DataOf<'GET /invitations/{token}'>;

export type ReceivedInvitation = ElementOf<'GET /invitations'>;

export const receivedKey = ['invitations'] as const;

/** The pending invitations of the person's own address. */
export const useReceivedInvitations = (enabled = true) =>
  useQuery({
    queryKey: receivedKey,
    queryFn: ({ signal }) => personClient.request('GET /invitations', { signal }),
    staleTime: 5 * 60_000,
    enabled,
  });

export const invitationKey = (token: string) => ['invitation', token] as const;

/** An invitation as the link of its e-mail shows it; needs no sign-in. */
export const useInvitation = (token: string) =>
  useQuery({
    queryKey: invitationKey(token),
    queryFn: ({ signal }) => personClient.request('GET /invitations/{token}', { params: { token }, signal }),
  });
