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
  private static final int MAX_LENGTH = 40;
  private static final int HINT_LENGTH = 3;

  /// Numbers of services: they belong to no person, and a message to them can cost a lot.
  private static final Set<PhoneNumberType> SERVICES =
      EnumSet.of(
          PhoneNumberType.PREMIUM_RATE,
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
      return NUMBERS.isPossibleNumber(parsed) && !SERVICES.contains(NUMBERS.getNumberType(parsed))
          ? Optional.of(new PhoneNumber(NUMBERS.format(parsed, PhoneNumberFormat.E164)))
          : Optional.empty();
    } catch (NumberParseException _) {
      return Optional.empty();
    }
  }

  /// Its owner recognizes it by its last digits.
  Contact contact() {
    return new Contact(Channel.SMS, value, value, value.substring(value.length() - HINT_LENGTH));
  }

  @Override
  public String toString() {
    return "[phone]";
  }
}
