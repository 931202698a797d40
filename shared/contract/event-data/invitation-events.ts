import * as z from 'zod/mini';
import { Invitation } from '../models/invitation.ts';
import { organization } from './fields.ts';

/** Without its link, which grants access to the invitation. */
const invitation = z.omit(Invitation, { acceptUrl: true, resentAt: true });

export const invitationEvents = {
  'invitation.created': z.object({ organization, invitation }),
  'invitation.accepted': z.object({ organization, invitation }),
};
