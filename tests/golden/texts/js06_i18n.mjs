const catalogs = {
  en: { 'cart.items': { one: '{n} item', other: '{n} items' }, 'cart.empty': 'Your cart is empty' },
  pl: { 'cart.items': { one: '{n} produkt', few: '{n} produkty', many: '{n} produktów', other: '{n} produktu' } },
  ko: { 'cart.items': { other: '상품 {n}개' }, 'cart.empty': '장바구니가 비어 있습니다' },
  zh: { 'cart.items': { other: '{n} 件商品' }, 'cart.empty': '购物车是空的' },
};

export function createTranslator(locale, fallback = 'en') {
  const rules = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  const chain = [locale, locale.split('-')[0], fallback];

  function lookup(key) {
