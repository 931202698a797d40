import { Link } from '@tanstack/react-router';
import { signIn } from '../../api/session.ts';
import { setTheme, useTheme } from '../../design/theme.ts';
import { Logo } from '../../frame/logo.tsx';
import { UserMenu } from '../../frame/menu/user-menu.tsx';
import { paths } from '../../paths.ts';
import { Button, IconButton } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useReader } from './try/use-try.ts';

interface DocsHeaderProps {
  readonly isOpen: boolean;
  readonly onOpenMenu: () => void;
  readonly onSearch: () => void;
}

export const DocsHeader = ({ isOpen, onOpenMenu, onSearch }: DocsHeaderProps) => (
  <header className="docs-header">
    <span className="docs-header__menu">
      <IconButton icon="menu" label="Menu" aria-expanded={isOpen} aria-controls="docs-menu" onClick={onOpenMenu} />
    </span>
    <Link to={paths.docs} className="row row--single topbar__home">
      <Logo />
      <span className="docs-header__name">Backups</span>
      <span className="docs-header__label">API docs</span>
    </Link>
    <button type="button" className="docs-header__search" onClick={onSearch}>
      <Icon name="search" />
      <span className="docs-header__hint">Search the docs</span>
      <span aria-hidden="true">
        <kbd>/</kbd>
      </span>
    </button>
    <div className="row row--single">
      <Account />
    </div>
  </header>
);

/** The way to the console and the person, or to the sign-in. */
const Account = () => {
  const { session, isLoading } = useReader();
  const theme = useTheme();
  const isDark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  if (isLoading) return null;
  if (session)
    return (
      <>
        <ButtonLink to={paths.overview} variant="quiet">
          Console
        </ButtonLink>
        <UserMenu />
      </>
    );
  return (
    <>
      <IconButton
        icon={isDark ? 'sun' : 'moon'}
        label={isDark ? 'Light theme' : 'Dark theme'}
        onClick={() => setTheme(isDark ? 'light' : 'dark')}
      />
      <Button onClick={() => signIn(window.location.pathname + window.location.hash)}>Sign in</Button>
    </>
  );
};
