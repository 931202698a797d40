import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { personClient } from '../../api/session.ts';
import { forgetPerson } from '../../api/stored-choices.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/form/button.tsx';
import { Checkbox } from '../../ui/form/field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { clearToasts, showToast } from '../../ui/overlay/toast.tsx';

/** Signs out of this browser, and on request of everything else that is signed in as the person. */
export const SignOutDialog = ({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [endsOthers, setEndsOthers] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const signOut = async (): Promise<void> => {
    setBusy(true);
    const call = endsOthers
      ? personClient.send('POST /auth/sessions/revoke-all', { body: { exceptCurrent: false } })
      : personClient.send('POST /auth/logout');
    const status = await call.then(
      (answer) => answer.status,
      () => undefined,
    );
    setBusy(false);
    onClose();
    // A session that has ended already is signed out as well. The cookies can only be deleted by the service.
    if (status === undefined || (status >= 300 && (status !== 401 || endsOthers))) {
      showToast('You are still signed in', 'bad', 'The service could not end the session. Try again.');
      return;
    }
    forgetPerson();
    queries.clear();
    clearToasts();
    await navigate({ to: paths.signIn, search: { signedOut: true } });
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Sign out?"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={isBusy} onClick={() => void signOut()}>
            {endsOthers ? 'Sign out everywhere' : 'Sign out'}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="secondary">This browser is signed out of the console.</p>
        <Checkbox
          label="Also end all my other sign-ins: browsers, devices and applications"
          checked={endsOthers}
          onChange={({ target }) => setEndsOthers(target.checked)}
        />
      </div>
    </Dialog>
  );
};
