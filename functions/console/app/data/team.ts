import { useQueryClient } from '@tanstack/react-query';
import type { ElementOf, InputOf } from '../../../../shared/client/index.ts';
import type { Role } from '../../../../shared/contract/access.ts';
import { sessionQuery } from '../api/session.ts';
import { useChange, useList } from '../api/use-api.ts';

export type Member = ElementOf<'GET /organizations/current/members'>;
export type Invitation = ElementOf<'GET /organizations/current/invites'>;

/** What each role may do, for people who choose one. */
export const roleMeanings: Readonly<Record<Role, string>> = {
  viewer: 'Sees projects, backups and restores. Changes nothing.',
  member: 'Also connects and disconnects projects, backs up, restores, and manages schedules and restore tests.',
  admin: 'Also deletes backups, erases documents, and manages storage, alerts, webhooks, encryption and the team.',
  owner: 'Also deletes the organization and transfers ownership.',
};

/** Disabled for people who may not read them. */
export const useMembers = (enabled: boolean) => useList('GET /organizations/current/members', undefined, { enabled });
export const useInvitations = (enabled: boolean) => useList('GET /organizations/current/invites', undefined, { enabled });

const members = ['/organizations/current/members', '/organizations/current', '/audit-logs'] as const;
const invites = ['/organizations/current/invites', '/audit-logs'] as const;

export const useChangeRole = () => {
  const queries = useQueryClient();
  return useChange({
    call: async (client, { userId, role }: { userId: string; role: Role }) => {
      const changed = await client.request('PUT /organizations/current/members/{userId}', { params: { userId }, body: { role } });
      // A transfer of ownership also changes the role of the person who makes it.
      await queries.invalidateQueries(sessionQuery);
      return changed;
    },
    done: 'The role was changed',
    invalidates: members,
    toastsError: false,
  });
};

export const useRemoveMember = () =>
  useChange({
    call: (client, userId: string) => client.request('DELETE /organizations/current/members/{userId}', { params: { userId } }),
    done: 'The member was removed',
    invalidates: [...members, '/projects', '/overview'],
    toastsError: false,
  });

export const useInvite = () =>
  useChange({
    call: (client, body: InputOf<'POST /organizations/current/invites'>['body']) =>
      client.request('POST /organizations/current/invites', { body }),
    invalidates: invites,
    toastsError: false,
  });

export const useResendInvitation = () =>
  useChange({
    call: (client, inviteId: string) =>
      client.request('POST /organizations/current/invites/{inviteId}/resend', { params: { inviteId } }),
    done: ({ email }) => `The invitation was sent to ${email} again`,
    invalidates: invites,
  });

export const useCancelInvitation = () =>
  useChange({
    call: (client, inviteId: string) =>
      client.request('DELETE /organizations/current/invites/{inviteId}', { params: { inviteId } }),
    done: 'The invitation was cancelled',
    invalidates: invites,
  });

/** Afterwards the session no longer has the organization, and the console shows another one or the first-run guide. */
export const useLeave = () => {
  const queries = useQueryClient();
  return useChange({
    call: async (client) => {
      await client.request('POST /organizations/current/leave', { body: {} });
      await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
    },
    done: 'You have left the organization',
    invalidates: [],
    toastsError: false,
  });
};
