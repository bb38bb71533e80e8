/** Texts about persons: their rights, and the events in their history. */
import { wordings } from './wording.ts';

/** Roles and actions within a sentence. */
const roleWordings = wordings({
  'a-role.viewer': ['a viewer', 'ผู้ดูข้อมูล'],
  'a-role.maker': ['a maker', 'ผู้ทำรายการ'],
  'a-role.checker': ['a checker', 'ผู้อนุมัติ'],
  'a-role.admin': ['an admin', 'ผู้ดูแลระบบ'],

  /** Words that follow "may". */
  'action.see': ['look at the review', 'เปิดดูหน้าตรวจสอบ'],
  'action.reveal': ['see whole numbers', 'เปิดดูเลขเต็ม'],
  'action.take': ['look after what waits', 'รับเรื่องที่รอดำเนินการ'],
  'action.propose': ['propose decisions', 'เสนอการตัดสินใจ'],
  'action.check': ['check what others propose', 'อนุมัติหรือส่งกลับคำขอของผู้อื่น'],
  'action.people': ['change users', 'เปลี่ยนแปลงผู้ใช้'],
  'action.settings': ['change how many people a decision takes', 'เปลี่ยนจำนวนผู้อนุมัติ'],
});

/** Why a person may not do something. */
const rightWordings = wordings({
  'right.unproved': [
    'only a person who has proved their identity may {action}',
    'เฉพาะผู้ที่ยืนยันตัวตนแล้วจึงมีสิทธิ์{action}',
  ],
  'right.disabled': ['this user is disabled', 'ผู้ใช้นี้ถูกปิดใช้งาน'],
  'right.role': ['a {role} may not {action}: that takes {roles}', '{role}ไม่มีสิทธิ์{action} ต้องเป็น{roles}'],
  'right.restored': [
    'the journal was restored or lost since this user was last enabled: an admin has to enable the user again (paydrop user enable; the first admin: paydrop user recover)',
    'มีการกู้คืนข้อมูลหลังจากเปิดใช้งานผู้ใช้นี้ครั้งล่าสุด ผู้ดูแลระบบต้องเปิดใช้งานอีกครั้ง (สำหรับผู้ดูแลระบบคนแรก: ผู้ดูแลโปรแกรม)',
    'the journal was restored or lost since this user was last enabled: an admin has to enable the user again (the first admin: the person who runs paydrop)',
  ],
  'right.first-user': [
    'only an admin may change users, and proves it with a token',
    'เฉพาะผู้ดูแลระบบจึงเปลี่ยนแปลงผู้ใช้ได้ โดยยืนยันด้วยโทเคน',
  ],
  'right.first-is-admin': [
    'the first user is an admin: --role admin',
    'ผู้ใช้คนแรกต้องเป็นผู้ดูแลระบบ',
    'the first user is an admin',
  ],

  'check.own': ['you proposed this and cannot approve it', 'คุณเป็นผู้เสนอ จึงอนุมัติเองไม่ได้'],
  'check.unproved': ['who approves must have proved who he is', 'ผู้อนุมัติต้องยืนยันตัวตน'],
  'check.maker-unproved': [
    'its proposer has not proved their identity: propose it again',
    'ผู้เสนอยังไม่ได้ยืนยันตัวตน กรุณาเสนอใหม่',
  ],
  'check.sign-own': ['only {name}, who proposed it, can sign it', 'ลงนามได้เฉพาะ {name} ซึ่งเป็นผู้เสนอ'],
  'check.withdraw-own': ['only {name}, who proposed it, can withdraw it', 'ถอนได้เฉพาะ {name} ซึ่งเป็นผู้เสนอ'],
  'check.involved': [
    'you uploaded the file, or corrected a row in it, and cannot approve it',
    'คุณเป็นผู้อัปโหลดไฟล์หรือแก้ไขแถวในไฟล์นี้ จึงอนุมัติไม่ได้',
  ],
  'check.you-handed': [
    'you alone gave {name} the first password, so that another person has to check this',
    'คุณเป็นผู้เดียวที่ออกรหัสผ่านแรกให้ {name} จึงต้องให้ผู้อื่นอนุมัติ',
  ],
  'check.handed-you': [
    '{name} alone gave you the first password, so that another person has to check this',
    '{name} เป็นผู้เดียวที่ออกรหัสผ่านแรกให้คุณ จึงต้องให้ผู้อื่นอนุมัติ',
  ],
  'check.same-hand': [
    'the same admin alone gave you and {name} the first password, so that another person has to check this',
    'ผู้ดูแลระบบคนเดียวกันออกรหัสผ่านแรกให้ทั้งคุณและ {name} จึงต้องให้ผู้อื่นอนุมัติ',
  ],
  'check.involved-hand': [
    '{name} uploaded the file, or corrected a row in it: {why}',
    '{name} เป็นผู้อัปโหลดไฟล์หรือแก้ไขแถวในไฟล์นี้: {why}',
  ],
  'check.maker-disabled': [
    '{name}, who proposed it, is disabled: send it back, to be proposed anew',
    '{name} ซึ่งเป็นผู้เสนอถูกปิดใช้งาน ให้ส่งกลับเพื่อเสนอใหม่',
  ],
  'check.maker-may-not': [
    '{name} proposed it, and {why}: send it back, to be proposed anew',
    '{name} เป็นผู้เสนอ และ{why} ให้ส่งกลับเพื่อเสนอใหม่',
  ],
  'check.maker-anew': [
    '{name}, who proposed it, was enabled anew since: send it back, to be proposed anew',
    '{name} ซึ่งเป็นผู้เสนอถูกเปิดใช้งานใหม่หลังจากนั้น ให้ส่งกลับเพื่อเสนอใหม่',
  ],
  'check.maker-before-restore': [
    '{name}, who proposed it, has not been enabled since the journal was restored: send it back, to be proposed anew',
    '{name} ซึ่งเป็นผู้เสนอยังไม่ได้เปิดใช้งานอีกครั้งหลังการกู้คืนข้อมูล ให้ส่งกลับเพื่อเสนอใหม่',
  ],
  'check.maker-unknown': [
    'its proposer is not a user: send it back, to be proposed anew',
    'ไม่พบผู้เสนอในรายชื่อผู้ใช้ ให้ส่งกลับเพื่อเสนอใหม่',
  ],
});

/** Requests about users. */
const requestWordings = wordings({
  'user.unknown': ['there is no such user', 'ไม่มีผู้ใช้นี้'],
  'user.has-role': ['{name} is {role} already', '{name} เป็น{role}อยู่แล้ว'],
  'user.disabled-already': ['{name} is disabled already', '{name} ถูกปิดใช้งานอยู่แล้ว'],
  'user.disabled': ['{name} is disabled', '{name} ถูกปิดใช้งาน'],
  'user.not-disabled': ['{name} is not disabled', '{name} ยังเปิดใช้งานอยู่'],
  'user.enable-first': ['{name} is disabled: enable the user first', '{name} ถูกปิดใช้งาน ให้เปิดใช้งานก่อน'],
  'user.restored': [
    '{name} has to be enabled first: the journal was restored',
    'ต้องเปิดใช้งาน {name} ก่อน เพราะมีการกู้คืนข้อมูล',
  ],
  'user.reset-own': [
    'this is you: change it with "paydrop user password" and no --reset',
    'เป็นผู้ใช้ของคุณเอง ให้เปลี่ยนรหัสผ่านของตนเอง',
    'this is you: change your own password instead',
  ],
  'user.last-admin': [
    'no user would be left who may change users: make another admin first',
    'จะไม่มีผู้ใช้ที่เปลี่ยนแปลงผู้ใช้ได้ ให้ตั้งผู้ดูแลระบบคนอื่นก่อน',
  ],
  'user.no-passkey': ['{name} has no such passkey', '{name} ไม่มีพาสคีย์นี้'],
  'user.name-form': [
    'a user name has 2 to 64 letters, digits, dots, hyphens, underscores or @, and begins with a letter',
    'ชื่อผู้ใช้ต้องมี 2 ถึง 64 ตัวอักษร ใช้ตัวอักษรอังกฤษ ตัวเลข จุด ขีด ขีดล่าง หรือ @ และขึ้นต้นด้วยตัวอักษร',
  ],
  'user.name-taken': ['there is a user {name} already', 'มีผู้ใช้ {name} อยู่แล้ว'],
  'user.name-taken-disabled': ['there is a user {name} already, disabled', 'มีผู้ใช้ {name} อยู่แล้ว แต่ถูกปิดใช้งาน'],
  'user.full-name-form': [
    'a full name has 1 to {count} characters, and no line ends',
    'ชื่อ-นามสกุลต้องมี 1 ถึง {count} ตัวอักษร และไม่ขึ้นบรรทัดใหม่',
  ],
  'user.none-yet': [
    'there is no user yet: make the first with "paydrop user add NAME --role admin"',
    'ยังไม่มีผู้ใช้ ให้ผู้ดูแลโปรแกรมสร้างผู้ใช้คนแรก',
    'there is no user yet: the person who runs paydrop makes the first',
  ],
  'user.why-missing': [
    'say why, with --why: it is kept for ever',
    'ต้องระบุเหตุผล ซึ่งระบบเก็บไว้ตลอดไป',
    'say why: it is kept for ever',
  ],

  'second-admin.making': ['making {role} takes a second admin', 'การตั้ง{role}ต้องมีผู้ดูแลระบบคนที่สอง'],
  'second-admin.enabling': ['enabling {role} takes a second admin', 'การเปิดใช้งาน{role}ต้องมีผู้ดูแลระบบคนที่สอง'],
  'second-admin.password': [
    'a new password for {role} takes a second admin',
    'การออกรหัสผ่านใหม่ให้{role}ต้องมีผู้ดูแลระบบคนที่สอง',
  ],
  'second-admin.passkey': ['confirming a passkey takes a second admin', 'การยืนยันพาสคีย์ต้องมีผู้ดูแลระบบคนที่สอง'],
  'second-admin.policy': [
    'changing approval or review.people takes a second admin',
    'การเปลี่ยนเกณฑ์อนุมัติต้องมีผู้ดูแลระบบคนที่สอง',
  ],

  'user-change.about-you': [
    'this is about you: another admin has to confirm it',
    'คำขอนี้เกี่ยวกับคุณ ต้องให้ผู้ดูแลระบบอีกคนยืนยัน',
  ],
  'user-change.handed-you': [
    'its proposer alone made your user: {names} can confirm it',
    'ผู้เสนอเป็นผู้เดียวที่สร้างผู้ใช้ของคุณ ผู้ที่ยืนยันได้คือ {names}',
  ],
  'user-change.no-admin': ['its proposer is no longer an admin', 'ผู้เสนอไม่ได้เป็นผู้ดูแลระบบแล้ว'],
  'user-change.user-changed': ['the user has changed since it was proposed', 'ข้อมูลผู้ใช้เปลี่ยนแปลงหลังจากเสนอ'],
  'user-change.propose-again': ['{why}: propose it again', '{why} กรุณาเสนอใหม่'],
  'user-change.open': [
    'proposal {id} is about this, and is not decided yet: approve it, send it back or withdraw it first',
    'คำขอ {id} เกี่ยวกับเรื่องนี้และยังไม่ได้ตัดสินใจ กรุณาอนุมัติ ส่งกลับ หรือถอนคำขอนั้นก่อน',
  ],
});

/** Passwords, tokens, sessions and passkeys. */
const secretWordings = wordings({
  'sign-in.refused': [
    'the name or the password is not right, or too many wrong ones were given: wait, or ask an admin',
    'ชื่อผู้ใช้หรือรหัสผ่านไม่ถูกต้อง หรือใส่ผิดหลายครั้งเกินไป กรุณารอสักครู่หรือติดต่อผู้ดูแลระบบ',
  ],
  'sign-in.first': ['sign in first', 'กรุณาเข้าสู่ระบบก่อน'],

  'password.short': ['a password has at least {count} characters', 'รหัสผ่านต้องมีอย่างน้อย {count} ตัวอักษร'],
  'password.long': ['a password has at most {count} characters', 'รหัสผ่านต้องมีไม่เกิน {count} ตัวอักษร'],
  'password.few-characters': [
    'a password has at least {count} different characters',
    'รหัสผ่านต้องมีตัวอักษรต่างกันอย่างน้อย {count} ตัว',
  ],
  'password.no-letter': [
    'a password is more than digits and signs',
    'รหัสผ่านต้องมีตัวอักษร ไม่ใช่มีเพียงตัวเลขและเครื่องหมาย',
  ],
  'password.own-name': [
    'a password is more than the user’s own name, with or without digits behind it',
    'รหัสผ่านต้องไม่ใช่ชื่อผู้ใช้ แม้มีตัวเลขต่อท้าย',
  ],
  'password.guessed': [
    'this password, or its only word between digits and signs, is one that attackers try first: use several words',
    'รหัสผ่านนี้ หรือคำเดียวในรหัสผ่านที่มีเพียงตัวเลขและเครื่องหมายประกอบ คาดเดาได้ง่าย กรุณาใช้หลายคำประกอบกัน',
  ],
  'password.several-words': [
    'several words make a good password: those that attackers try first are refused',
    'ควรใช้หลายคำประกอบกัน ระบบไม่รับรหัสผ่านที่คาดเดาได้ง่าย',
  ],
  'password.same': ['the new password is the one that you have', 'รหัสผ่านใหม่ต้องไม่เหมือนรหัสผ่านเดิม'],

  'label.form': [
    'a label has at most {count} characters, and no line ends',
    'ชื่อกำกับต้องมีไม่เกิน {count} ตัวอักษร และไม่ขึ้นบรรทัดใหม่',
  ],
  'token.days': ['a token lasts 1 to {count} days', 'โทเคนใช้ได้ 1 ถึง {count} วัน'],
  'token.none': ['you have no token {id}', 'คุณไม่มีโทเคน {id}'],
  'token.not-ours': [
    'the token is none of paydrop’s: make one with "paydrop user token"',
    'โทเคนนี้ไม่ใช่ของ paydrop',
    'the token is none of paydrop’s',
  ],
  'token.unknown': ['the token is not known in this journal', 'ไม่มีโทเคนนี้ในระบบ'],
  'token.revoked': ['the token was revoked', 'โทเคนถูกเพิกถอนแล้ว'],
  'token.expired': ['the token has expired on {moment}', 'โทเคนหมดอายุเมื่อ {moment}'],
  'token.of-disabled': ['the token is of a user who is disabled', 'โทเคนเป็นของผู้ใช้ที่ถูกปิดใช้งาน'],
  'token.counts-no-more': ['the token counts no more: {why}', 'โทเคนใช้ไม่ได้แล้ว: {why}'],
  'token.before-restore': [
    'the token was made before the journal was restored: make another one',
    'โทเคนสร้างก่อนการกู้คืนข้อมูล ให้สร้างใหม่',
  ],

  'passkey.not-answered': [
    'the question that this answers has expired, was answered before, or was for another person: try again',
    'คำขอยืนยันนี้หมดเวลา ใช้ไปแล้ว หรือเป็นของผู้อื่น กรุณาลองใหม่',
  ],
  'passkey.not-right': ['the passkey’s answer is not right: try again', 'การยืนยันของพาสคีย์ไม่ถูกต้อง กรุณาลองใหม่'],
  'passkey.not-asked-for': ['the passkey is not what was asked for', 'พาสคีย์ไม่ตรงกับที่ขอ'],
  'passkey.enrolled-already': ['this passkey is enrolled already', 'พาสคีย์นี้ลงทะเบียนไว้แล้ว'],
  'passkey.too-many': [
    'a user has at most {count} passkeys: revoke one first',
    'ผู้ใช้หนึ่งคนมีพาสคีย์ได้ไม่เกิน {count} คีย์ ให้เพิกถอนคีย์ใดคีย์หนึ่งก่อน',
  ],
  'passkey.unknown': ['there is no such passkey', 'ไม่มีพาสคีย์นี้'],
  'passkey.none': ['you have no such passkey', 'คุณไม่มีพาสคีย์นี้'],
  'passkey.none-counts': [
    'you have no passkey that counts here: enrol one, and have it confirmed',
    'คุณไม่มีพาสคีย์ที่ใช้กับหน้านี้ได้ ให้ลงทะเบียนแล้วให้ผู้ดูแลระบบยืนยัน',
  ],
  'passkey.counts-not': ['this passkey does not count here', 'พาสคีย์นี้ใช้กับหน้านี้ไม่ได้'],
  'passkey-is.good': ['it counts', 'ใช้ได้'],
  'passkey-is.waits': ['an admin has yet to confirm it', 'รอผู้ดูแลระบบยืนยัน'],
  'passkey-is.revoked': ['it was revoked', 'เพิกถอนแล้ว'],
  'passkey-is.of-before': [
    'it was enrolled before its owner’s password was replaced, the user enabled again, or the journal restored',
    'ลงทะเบียนก่อนเปลี่ยนรหัสผ่านของเจ้าของพาสคีย์ ก่อนเปิดใช้งานผู้ใช้อีกครั้ง หรือก่อนกู้คืนข้อมูล',
  ],
});

/** Sentences about events of users; the arguments begin with the user's name. */
const historyWordings = wordings({
  'history.by': ['{what} by {name}', '{what} โดย {name}'],
  'history.confirmed': ['{what}, confirmed by {name}', '{what} ยืนยันโดย {name}'],
  'history.with-why': ['{what}: {why}', '{what}: {why}'],

  'history.made': ['{name} was added as {role}', 'เพิ่ม {name} เป็น{role}'],
  'history.role-changed': ['{name} has become {role}', '{name} เปลี่ยนเป็น{role}'],
  'history.disabled': ['{name} was disabled', 'ปิดใช้งาน {name}'],
  'history.enabled': ['{name} was enabled', 'เปิดใช้งาน {name}'],
  'history.let-try-again': ['{name} was let try again', 'เปิดให้ {name} ลองเข้าสู่ระบบอีกครั้ง'],
  'history.password-reset': ['{name} was given a new one-time password', 'ออกรหัสผ่านครั้งเดียวใหม่ให้ {name}'],
  'history.password-rehashed': ['the password of {name} was hashed anew', 'เข้ารหัสรหัสผ่านของ {name} ใหม่'],
  'history.password-changed': ['{name} has set a password', '{name} ตั้งรหัสผ่าน'],
  'history.passkey-enrolled': [
    '{name} has enrolled passkey {key}, which waits for an admin',
    '{name} ลงทะเบียนพาสคีย์ {key} ซึ่งรอผู้ดูแลระบบยืนยัน',
  ],
  'history.passkey-confirmed': ['passkey {key} of {name} was confirmed', 'ยืนยันพาสคีย์ {key} ของ {name}'],
  'history.passkey-revoked': ['passkey {key} of {name} was revoked', 'เพิกถอนพาสคีย์ {key} ของ {name}'],
  'history.approval-signed': [
    '{name} has signed the approval of proposal {id} with passkey {key}',
    '{name} ลงนามอนุมัติคำขอ {id} ด้วยพาสคีย์ {key}',
  ],
  'history.policy-changed': ['it was agreed on: {policy}', 'ตกลงเกณฑ์การอนุมัติ: {policy}'],
  'history.token-made': [
    '{name} has made token {id}, good until {moment}',
    '{name} สร้างโทเคน {id} ใช้ได้ถึง {moment}',
  ],
  'history.token-revoked': ['token {id} of {name} was revoked', 'เพิกถอนโทเคน {id} ของ {name}'],
  'history.locked-out': [
    '{name} is locked out after {count} wrong passwords',
    '{name} ถูกล็อกเพราะใส่รหัสผ่านผิด {count} ครั้ง',
  ],
  'history.locked-out-at': [
    '{name} is locked out at an address of {network} after {count} wrong passwords',
    '{name} ถูกล็อกเฉพาะที่อยู่หนึ่งในเครือข่าย {network} เพราะใส่รหัสผ่านผิด {count} ครั้ง',
  ],
  'history.unknown-network': ['an unknown network', 'เครือข่ายที่ไม่ทราบ'],
  'history.signed-in': ['{name} has signed in ({how})', '{name} เข้าสู่ระบบ ({how})'],
  'history.sign-in-failed': ['a sign-in as {name} failed ({how})', 'เข้าสู่ระบบด้วยชื่อ {name} ไม่สำเร็จ ({how})'],
  'history.sign-in-failed-unknown': [
    'a sign-in under an unknown name failed ({how})',
    'เข้าสู่ระบบด้วยชื่อที่ไม่มีในระบบไม่สำเร็จ ({how})',
  ],
  'history.refused': ['{name} was refused ({how})', 'ปฏิเสธคำขอของ {name} เพราะไม่มีสิทธิ์ ({how})'],
  'history.refused-unknown': ['an unknown visitor was refused ({how})', 'ปฏิเสธคำขอของผู้ที่ยังไม่ยืนยันตัวตน ({how})'],
  'history.from': ['{what}, from {network}', '{what} จาก {network}'],
  'history.often': ['{what}, {count} times since {moment}', '{what} รวม {count} ครั้งตั้งแต่ {moment}'],
  'history.recovered': [
    'ALARM: {name} was made an admin without an admin',
    'แจ้งเตือนสำคัญ: ตั้ง {name} เป็นผู้ดูแลระบบโดยไม่มีผู้ดูแลระบบอนุมัติ',
  ],
  'history.revealed': ['{name} has looked at {what}', '{name} เปิดดู{what}'],
  'looked-at.payee-number': [
    'the payee number of row {row} of batch {batch}',
    'เลขผู้รับเงินของแถวที่ {row} ของชุด {batch}',
  ],
  'looked-at.account': [
    'the account and customer of row {row} of batch {batch}',
    'เลขที่บัญชีและเลขประจำตัวลูกค้าของแถวที่ {row} ของชุด {batch}',
  ],
  'looked-at.evidence': ['evidence of row {row} of batch {batch}', 'หลักฐานของแถวที่ {row} ของชุด {batch}'],
  'looked-at.batch-file': ['the file {file} of batch {batch}', 'ไฟล์ {file} ของชุด {batch}'],
  'looked-at.payee-numbers': ['the payee numbers of proposal {proposal}', 'เลขผู้รับเงินในคำขอ {proposal}'],
  'looked-at.evidence-file': ['the evidence file of proposal {proposal}', 'ไฟล์หลักฐานของคำขอ {proposal}'],
  'looked-at.search': ['the answer of a search of {place} for {text}', 'ผลการค้นหาใน{place}ด้วย {text}'],
  'looked-in.search': ['the whole journal', 'ข้อมูลทั้งหมด'],
  'looked-in.queue': ['the queue', 'รายการรอดำเนินการ'],
  'looked-in.payees': ['the payees', 'ผู้รับเงิน'],
  'looked-in.payouts': ['the payouts', 'รายการจ่าย'],
  'looked-in.registrations': ['the registrations', 'รายการลงทะเบียน'],
  'history.noted': ['{name}: {what} that waits was {done}', '{name} {done}ที่รอดำเนินการ: {what}'],
  'noted-done.taken': ['taken', 'รับเรื่อง'],
  'noted-done.given-back': ['given back', 'คืนเรื่อง'],
  'noted-done.noted': ['noted', 'รับทราบเรื่อง'],
  'noted-thing.break': ['a break', 'ผลต่าง'],
  'noted-thing.day': ['a day', 'วันที่ยังไม่ได้รับรายการเดินบัญชี'],
  'noted-thing.file': ['a file', 'ไฟล์ที่ไม่รับเข้าระบบ'],
  'noted-thing.payer': ['a payer account', 'บัญชีผู้จ่าย'],
  'noted-thing.batch': ['a batch', 'ชุดจ่ายเงิน'],
  'noted-thing.doubt': ['a batch in doubt', 'ชุดจ่ายเงินที่ยังไม่ทราบผล'],
  'noted-thing.registration': ['a registration', 'รายการลงทะเบียน'],
  'noted-thing.registration-batch': ['a batch of registrations', 'ชุดลงทะเบียน'],
  'noted-thing.group': ['a group', 'กลุ่มรายการ'],
  'noted-thing.callback': ['a callback', 'การแจ้งผลที่ไม่ตรงกับรายการใด'],
  'noted-thing.proposal': ['a proposal', 'คำขอ'],
  'noted-thing.decisions': ['a file of decisions', 'ไฟล์การตัดสินใจ'],
  'noted-thing.payout': ['a payout', 'รายการจ่าย'],
  'noted-thing.statement': ['a statement', 'รายการเดินบัญชี'],
  'history.erased': [
    '{name} has erased what names the payee of {what}',
    '{name} ลบข้อมูลที่ระบุตัวผู้รับเงินของ {what}',
  ],
  'history.session-begun': ['{name} has signed in on the page', '{name} เข้าสู่ระบบบนหน้าเว็บ'],
  'history.uploaded': ['{name} has uploaded the file of batch {batch}', '{name} อัปโหลดไฟล์ของชุด {batch}'],
  'history.batch-sealed': ['batch {batch} was sealed', 'ล็อกข้อมูลชุด {batch}'],
  'history.payer-moved': ['batch {batch} is paid from another account', 'เปลี่ยนบัญชีผู้จ่ายของชุด {batch}'],
  'history.approval-taken-back': [
    'the approval of batch {batch} was taken back: no signature proves it',
    'เพิกถอนการอนุมัติชุด {batch} เพราะไม่มีลายมือชื่อยืนยัน',
  ],
  'history.reports-written': ['reports of batch {batch} were written', 'ออกรายงานของชุด {batch}'],

  'wanted.add': ['add {name} as {role}', 'เพิ่ม {name} เป็น{role}'],
  'wanted.role': ['make {name} {role}', 'ให้ {name} เป็น{role}'],
  'wanted.enable': ['enable {name}', 'เปิดใช้งาน {name}'],
  'wanted.disable': ['disable {name}', 'ปิดใช้งาน {name}'],
  'wanted.reset-password': ['give {name} a new password', 'ออกรหัสผ่านใหม่ให้ {name}'],
  'wanted.confirm-passkey': ['confirm a passkey of {name}', 'ยืนยันพาสคีย์ของ {name}'],
  'wanted.agree': ['agree on {policy}', 'ตกลงเกณฑ์ {policy}'],
});

export const personWordings = {
  ...roleWordings,
  ...rightWordings,
  ...requestWordings,
  ...secretWordings,
  ...historyWordings,
};
