package fairgate.account.identity;

import com.google.i18n.phonenumbers.NumberParseException;
import com.google.i18n.phonenumbers.PhoneNumberUtil;
import com.google.i18n.phonenumbers.PhoneNumberUtil.PhoneNumberFormat;
import com.google.i18n.phonenumbers.PhoneNumberUtil.PhoneNumberType;
import com.google.i18n.phonenumbers.Phonenumber;
import fairgate.account.message.Channel;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// A telephone number in E.164, with its country code: `+886912345678`.
record PhoneNumber(String value) {
  private static final PhoneNumberUtil NUMBERS = PhoneNumberUtil.getInstance();
  private static final String NO_REGION = "ZZ";

  /// The library's region of codes that belong to no country, such as those of satellites.
  private static final String NO_COUNTRY = "001";

  private static final String ARGENTINA = "+54";
  private static final String ARGENTINA_MOBILE = "+549";

  private static final int MAX_LENGTH = 40;
  private static final int HINT_LENGTH = 3;

  /// Numbers of services: they belong to no person, and a message to them can cost a lot.
  private static final Set<PhoneNumberType> SERVICES =
      EnumSet.of(
          PhoneNumberType.PREMIUM_RATE,
          PhoneNumberType.PERSONAL_NUMBER,
          PhoneNumberType.PAGER,
          PhoneNumberType.SHARED_COST,
          PhoneNumberType.TOLL_FREE,
          PhoneNumberType.UAN,
          PhoneNumberType.VOICEMAIL);

  /// Parses a number with its country code (`+886`, `00886`), in any common notation, full-width
  /// digits included. Empty if it is not a number, lacks its country code, or is one of a service.
  ///
  /// Only the length is checked against the country's plan: lists of assigned numbers are never
  /// complete, and the code that is sent proves the rest.
  static Optional<PhoneNumber> of(String text) {
    // The library reads letters as digits of a keypad, or as an extension.
    if (text.length() > MAX_LENGTH || text.codePoints().anyMatch(Character::isLetter)) {
      return Optional.empty();
    }
    String digits = PhoneNumberUtil.normalizeDigitsOnly(text);
    String number = digits.startsWith("00") ? "+" + digits.substring(2) : text;
    try {
      Phonenumber.PhoneNumber parsed = NUMBERS.parse(number, NO_REGION);
      return NUMBERS.isPossibleNumber(parsed) && !isOfService(parsed)
          ? Optional.of(new PhoneNumber(NUMBERS.format(parsed, PhoneNumberFormat.E164)))
          : Optional.empty();
    } catch (NumberParseException _) {
      return Optional.empty();
    }
  }

  private static boolean isOfService(Phonenumber.PhoneNumber number) {
    return SERVICES.contains(NUMBERS.getNumberType(number))
        || NUMBERS.getRegionCodeForCountryCode(number.getCountryCode()).equals(NO_COUNTRY);
  }

  /// Its country by ISO 3166, such as `TW`. Countries with a common code are told apart by the
  /// number; one that is not assigned counts for the largest of them.
  String country() {
    try {
      Phonenumber.PhoneNumber parsed = NUMBERS.parse(value, NO_REGION);
      String region = NUMBERS.getRegionCodeForNumber(parsed);
      return region == null ? NUMBERS.getRegionCodeForCountryCode(parsed.getCountryCode()) : region;
    } catch (NumberParseException e) {
      throw new IllegalStateException("A parsed number cannot be parsed", e);
    }
  }

  /// Its owner recognizes it by its last digits.
  Contact contact() {
    return new Contact(Channel.SMS, value, key(), value.substring(value.length() - HINT_LENGTH));
  }

  /// Argentina writes one mobile number with and without a 9 behind its code.
  private String key() {
    return value.startsWith(ARGENTINA) && !value.startsWith(ARGENTINA_MOBILE)
        ? ARGENTINA_MOBILE + value.substring(ARGENTINA.length())
        : value;
  }

  @Override
  public String toString() {
    return "[phone]";
  }
}
