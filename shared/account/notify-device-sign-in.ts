import { composeLetter, env, getAll, type Letter, log, sendMail, utcMinute } from '../platform/index.ts';
import { accountKey, type SessionRecord, type SessionUseRecord } from './record.ts';

/** E-mails a person that a device has signed in as them, and where they can end it. */
export const notifyDeviceSignIn = async (userId: string, sessionId: string): Promise<void> => {
  const [user, session, use] = await getAll([
    accountKey.user(userId),
    accountKey.session(sessionId),
    accountKey.sessionUse(userId, sessionId),
  ]);
  if (!user || !session) {
    log.info('device e-mail not sent: the session has expired', { userId, sessionId });
    return;
  }
  await sendMail(user.email, deviceEmail(session, use));
};

const deviceEmail = ({ name, createdAt }: SessionRecord, use: SessionUseRecord | undefined): Letter => {
  const from = [use?.ip, use?.location].filter(Boolean).join(', ');
  return composeLetter('A device signed in to your account', [
    [
      'The device ',
      { name: name ?? 'without a name' },
      ` signed in as you on ${utcMinute(createdAt)}${from ? `, from ${from}` : ''}.`,
    ],
    'It can see and do everything that you can, until it signs out or you end it.',
    'If this was not you, end it now, and all your other sign-ins:',
    { text: 'Your sign-ins', url: `${env('CONSOLE_URL').replace(/\/$/, '')}/sessions` },
  ]);
};
