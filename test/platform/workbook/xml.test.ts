import { expect, test } from 'vitest';
import { decodeXml, readElements, type XmlElement } from '../../../src/platform/workbook/xml.ts';

const list = (xml: string, opened?: string): XmlElement[] =>
  Array.from(readElements(decodeXml(Buffer.from(xml)), 'a', opened));

test('elements come with their attributes, their text and what stands in them', () => {
  const xml =
    '\ufeff<?xml version="1.0" encoding="utf-8"?>\r\n<!-- <b/> --><a x="1"><b y=\'"&amp;\'\n z = "<!"/></a>';
  expect(() => list(xml)).toThrow('no tag');
  const [first, second, ...others] = list(
    xml.replace('<!"', '&lt;"').replace('</a>', '<c>1<d>2</d>\r\n3</c></a>\n'),
  );
  expect(first).toMatchObject({ name: 'b', attributes: { y: '"&', z: '<' }, children: [], text: '' });
  expect(second).toMatchObject({ name: 'c', text: '1\n3', children: [{ name: 'd', text: '2' }] });
  expect(others).toEqual([]);
});

test('those of an opened element come one by one, then itself', () => {
  const names = list('<a><b/><c><b>1</b><d><b/></d></c><e><b/></e></a>', 'c').map(({ name }) => name);
  expect(names).toEqual(['b', 'c/b', 'c/d', 'c', 'e']);
});

test('elements of other namespaces are told from the part’s own', () => {
  expect(list('<p:a xmlns:p="u"><p:b/><b/><q:b/></p:a>').map(({ name }) => name)).toEqual([
    'b',
    ':b',
    ':q:b',
  ]);
  expect(list('<a xmlns="u"><b xmlns="u"/><q:b xmlns:q="v"/></a>').map(({ name }) => name)).toEqual([
    'b',
    'q:b',
  ]);
});

test.each([
  ['nothing', ''],
  ['no element', 'text'],
  ['another root', '<b/>'],
  ['two roots', '<a/><a/>'],
  ['text after the root', '<a/>b'],
  ['text between elements', '<a>b<c/></a>'],
  ['an element that does not end', '<a><b></a>'],
  ['elements that cross', '<a><b><c></b></c></a>'],
  ['a cut end', '<a><b/>'],
  ['a cut tag', '<a><b'],
  ['a cut comment', '<a><!-- </a>'],
  ['a cut text', '<a><b><![CDATA[1</b></a>'],
  ['an attribute twice', '<a><b x="1" x="2"/></a>'],
  ['an attribute without a value', '<a><b x/></a>'],
  ['an attribute without quotes', '<a><b x=1/></a>'],
  ['attributes without a blank between', '<a><b x="1"y="2"/></a>'],
  ['a tag in an attribute', '<a><b x="<c/>"/></a>'],
  ['a name that is none', '<a><1/></a>'],
  ['a blank before a name', '<a>< b/></a>'],
  ['an unknown reference', '<a><b>&nbsp;</b></a>'],
  ['a bare ampersand', '<a><b>1 & 2</b></a>'],
  ['a reference that is not ended', '<a><b>&amp</b></a>'],
  ['a reference to no character', '<a><b>&#0;</b></a>'],
  ['a reference to half a character', '<a><b>&#xd800;</b></a>'],
  ['a character that XML cannot hold', '<a><b>\u0001</b></a>'],
  ['a document type', '<!DOCTYPE a [<!ENTITY b "1">]><a>&b;</a>'],
  ['a name for another namespace', '<a xmlns="u"><b xmlns="v"/></a>'],
  ['another encoding', '<?xml version="1.0" encoding="windows-874"?><a/>'],
])('%s is no XML of a workbook', (_, xml) => {
  expect(() => list(xml)).toThrow(expect.objectContaining({ name: 'XmlError' }));
});

test('bytes that are no UTF-8 are refused', () => {
  for (const bytes of [Buffer.from('<a>ก</a>', 'utf16le'), Buffer.from([0x3c, 0x61, 0x3e, 0xa1])])
    expect(() => decodeXml(bytes)).toThrow(/UTF-8/);
});
