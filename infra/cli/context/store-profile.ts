/** Changes the stored sign-ins: their credentials and their organization. */
import { forgetValues } from '../completion/complete-values.ts';
import type { Profile } from '../config/config-file.ts';
import { openSession } from '../config/open-session.ts';
import type { Context } from './context.ts';

/** Replaces the credentials of the address and makes it the current one. Keeps the chosen organization of the same user. */
export const storeProfile = async (context: Context, profile: Profile): Promise<void> => {
  const { url, profile: name } = context.settings();
  const stored = { ...profile, ...(name !== url && { url }) };
  await context.config.update((config) => ({ ...config, current: name, profiles: { ...config.profiles, [name]: stored } }));
  forgetValues(context.environment.env);
};

/** Makes it the organization of the profile. */
export const chooseOrganization = async (context: Context, organizationId: string | undefined): Promise<void> => {
  const { profile } = context.settings();
  await context.config.update((config) => ({
    ...config,
    profiles: { ...config.profiles, [profile]: { ...config.profiles[profile], organizationId } },
  }));
  forgetValues(context.environment.env);
};

/** The organization to use from now on: the only one, or that of --organization. Undefined: the user chooses later. */
export const chooseAfterLogin = async (context: Context): Promise<string | undefined> => {
  const organizationId = await openSession(context.settings(), context.config).organizationId();
  if (organizationId === undefined) return undefined;
  await chooseOrganization(context, organizationId);
  return organizationId;
};
