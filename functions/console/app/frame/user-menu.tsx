import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { personClient, useSession } from '../api/session.ts';
import { forgetPerson } from '../api/stored-choices.ts';
import { setTheme, type Theme, useTheme } from '../design/theme.ts';
import { paths } from '../paths.ts';
import type { IconName } from '../ui/icon.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../ui/overlay/menu.tsx';
import { clearToasts, showToast } from '../ui/overlay/toast.tsx';
import { initialsOf } from './organization-switcher.tsx';

const themeChoices: readonly (readonly [Theme, string, IconName])[] = [
  ['system', 'Like the system', 'refresh'],
  ['light', 'Light', 'sun'],
  ['dark', 'Dark', 'moon'],
];

export const UserMenu = () => {
  const { name, email } = useSession();
  const theme = useTheme();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signOut = async (): Promise<void> => {
    const status = await personClient.send('POST /auth/logout').then(
      (answer) => answer.status,
      () => undefined,
    );
    // A session that has ended already is signed out as well. The cookies can only be deleted by the service.
    if (status === undefined || (status >= 300 && status !== 401)) {
      showToast('You are still signed in', 'bad', 'The service could not end the session. Try again.');
      return;
    }
    forgetPerson();
    queries.clear();
    clearToasts();
    await navigate({ to: paths.signIn, search: { signedOut: true } });
  };
  return (
    <Menu
      trigger={
        <button type="button" className="avatar">
          <span aria-hidden="true">{initialsOf(name)}</span>
          <span className="visually-hidden">Account of {name}</span>
        </button>
      }
    >
      <MenuLabel>
        <span className="user-menu__name">{name}</span>
        <span className="wrap-anywhere">{email}</span>
      </MenuLabel>
      <MenuSeparator />
      <MenuLabel>Theme</MenuLabel>
      {themeChoices.map(([value, label, icon]) => (
        <MenuItem key={value} icon={icon} checked={theme === value} onSelect={() => setTheme(value)}>
          {label}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon="signOut" onSelect={() => void signOut()}>
        Sign out
      </MenuItem>
    </Menu>
  );
};
