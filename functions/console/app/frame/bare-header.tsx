import type { ReactNode } from 'react';
import { Logo } from './logo.tsx';
import { UserMenu } from './menu/user-menu.tsx';

/** The head of a page that belongs to no organization. `children` are links before the person's menu. */
export const BareHeader = ({ children }: { readonly children: ReactNode }) => (
  <header className="bare-header">
    <div className="row row--single bare-header__brand">
      <Logo /> Backups
    </div>
    <div className="row">
      {children}
      <UserMenu />
    </div>
  </header>
);
