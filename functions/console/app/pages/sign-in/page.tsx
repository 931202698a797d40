import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { signIn } from '../../api/session.ts';
import { Centered } from '../../frame/centered.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Icon } from '../../ui/icon.tsx';

interface SignInSearch {
  readonly returnTo?: string;
  readonly signedOut?: string;
  /** The session has ended while the console was open: what it was doing. */
  readonly ended?: 'read' | 'change';
  /** Of the identity provider's answer (RFC 6749 section 4.1.2.1). */
  readonly error?: string;
}

const promises = [
  'See which projects are protected right now',
  'Find a lost document in any backup, and restore just that',
  'Undo a restore for seven days',
];

export const SignInPage = () => {
  const { returnTo, signedOut, ended, error } = useSearch({ strict: false }) as SignInSearch;
  useEffect(() => {
    document.title = 'Sign in · Backups';
  }, []);
  return (
    <Centered
      footer={
        <>
          Your backups stay in your own storage, encrypted. The API is described in the <a href="/docs">API docs</a>.
        </>
      }
    >
      <div className="stack">
        <h1>{signedOut ? 'You are signed out' : 'Sign in'}</h1>
        {error ? (
          <Notice tone="warn" title={error === 'access_denied' ? 'You did not allow access' : 'The sign-in did not work'}>
            {error === 'temporarily_unavailable'
              ? 'The service cannot be reached at the moment. Try again in a minute.'
              : 'Try again.'}
          </Notice>
        ) : ended ? (
          <Notice tone="warn" title="Your session has ended">
            {ended === 'change' && 'The last change was not saved. '}Sign in again to continue where you were.
          </Notice>
        ) : (
          <ul className="stack stack--tight sign-in__promises">
            {promises.map((promise) => (
              <li key={promise}>
                <Icon name="check" /> {promise}
              </li>
            ))}
          </ul>
        )}
      </div>
      <Button variant="primary" onClick={() => signIn(returnTo)}>
        {signedOut ? 'Sign in again' : 'Continue with Google'}
      </Button>
    </Centered>
  );
};
