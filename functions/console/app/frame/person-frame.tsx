import { Link, Outlet } from '@tanstack/react-router';
import { currentMembership, useSession } from '../api/session.ts';
import { paths } from '../paths.ts';
import { BareHeader } from './bare-header.tsx';
import { Frame } from './frame.tsx';

/** Around pages about the person: the frame of their organization if they have one. */
export const PersonFrame = () => (currentMembership(useSession()) ? <Frame /> : <BareFrame />);

const BareFrame = () => (
  <main id="main" className="frame__main">
    <BareHeader>
      <Link to={paths.start}>Set up an organization</Link>
    </BareHeader>
    <Outlet />
  </main>
);
