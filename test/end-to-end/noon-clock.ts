/**
 * Loaded before a program (`node --import`): sets its clock forward or back by PAYDROP_TEST_CLOCK_OFFSET_MS.
 * What may be sent again depends on how far midnight is, so every process of a scene lives around noon in Bangkok.
 */
const offsetMs = Number(process.env['PAYDROP_TEST_CLOCK_OFFSET_MS'] ?? '0');
if (offsetMs !== 0) {
  const now = Date.now.bind(Date);
  Date.now = () => now() + offsetMs;
}
