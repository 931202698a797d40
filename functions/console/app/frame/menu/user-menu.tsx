import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { setTheme, type Theme, useTheme } from '../../design/theme.ts';
import { paths } from '../../paths.ts';
import { Email } from '../../ui/data/email.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../ui/overlay/menu.tsx';
import { initialsOf } from './organization-switcher.tsx';
import { SignOutDialog } from './sign-out-dialog.tsx';

const themeChoices: readonly (readonly [Theme, string, IconName])[] = [
  ['system', 'Like the system', 'refresh'],
  ['light', 'Light', 'sun'],
  ['dark', 'Dark', 'moon'],
];

export const UserMenu = () => {
  const { name, email } = useSession();
  const theme = useTheme();
  const navigate = useNavigate();
  const [isSigningOut, setSigningOut] = useState(false);
  return (
    <>
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
          <span className="wrap-anywhere">
            <Email text={email} />
          </span>
        </MenuLabel>
        <MenuSeparator />
        <MenuLabel>Theme</MenuLabel>
        {themeChoices.map(([value, label, icon]) => (
          <MenuItem key={value} icon={icon} checked={theme === value} onSelect={() => setTheme(value)}>
            {label}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem icon="shield" onSelect={() => void navigate({ to: paths.sessions })}>
          Your sign-ins
        </MenuItem>
        <MenuItem icon="signOut" onSelect={() => setSigningOut(true)}>
          Sign out…
        </MenuItem>
      </Menu>
      <SignOutDialog open={isSigningOut} onClose={() => setSigningOut(false)} />
    </>
  );
};
