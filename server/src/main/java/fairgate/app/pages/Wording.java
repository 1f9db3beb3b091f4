package fairgate.app.pages;

import java.math.BigDecimal;
import java.text.NumberFormat;
import java.time.Duration;
import java.time.Instant;
import java.util.Currency;
import java.util.Locale;

/// Numbers, prices, lengths of time and states in a visitor's language.
record Wording(Dictionary words, String defaultCurrency, Instant now) {
  private static final long MINUTE = 60;
  private static final long HOUR = 3600;
  private static final long DAY = 86_400;

  String text(String key) {
    return words.text(key);
  }

  String number(long number) {
    return NumberFormat.getIntegerInstance(locale()).format(number);
  }

  /// A price out of minor units, without decimals where it is whole.
  String money(long minorUnits, String currencyCode) {
    Currency currency =
        Currency.getInstance(currencyCode.isEmpty() ? defaultCurrency : currencyCode);
    NumberFormat format = NumberFormat.getCurrencyInstance(locale());
    int digits = Math.max(0, currency.getDefaultFractionDigits());
    BigDecimal amount = BigDecimal.valueOf(minorUnits, digits);
    format.setCurrency(currency);
    format.setMaximumFractionDigits(digits);
    format.setMinimumFractionDigits(amount.stripTrailingZeros().scale() <= 0 ? 0 : digits);
    return format.format(amount);
  }

  /// A length of time, rounded up to what a person would say.
  String span(Duration length) {
    long seconds = Math.max(1, length.toSeconds());
    if (seconds < MINUTE) {
      return words.text("unit.second", "n", seconds);
    }
    if (seconds < HOUR) {
      return words.text("unit.minute", "n", (seconds + MINUTE - 1) / MINUTE);
    }
    if (seconds < 2 * DAY) {
      return words.text("unit.hour", "n", (seconds + HOUR - 1) / HOUR);
    }
    return words.text("unit.day", "n", (seconds + DAY - 1) / DAY);
  }

  /// An estimate in seconds; negative = not known yet.
  String estimate(long seconds) {
    if (seconds < 0) {
      return text("wait.unknown");
    }
    return seconds < MINUTE
        ? "< " + words.text("unit.minute", "n", 1)
        : "\u2248 " + span(Duration.ofSeconds(seconds));
  }

  /// `scheduled`, `open`, `paused`, `sold_out` or `closed`: what a visitor has to know.
  String state(Fields product) {
    String status = product.text("status");
    boolean over = product.moment("closes_at").map(at -> !at.isAfter(now)).orElse(false);
    if (status.equals("closed") || over) {
      return "closed";
    }
    if (status.equals("paused")) {
      return "paused";
    }
    boolean early = product.moment("opens_at").map(at -> at.isAfter(now)).orElse(false);
    if (status.equals("scheduled") || early) {
      return "scheduled";
    }
    return product.number("remaining_stock", 0) > 0 ? "open" : "sold_out";
  }

  String stateText(Fields product) {
    String state = state(product);
    return product
        .moment("opens_at")
        .filter(at -> state.equals("scheduled") && at.isAfter(now))
        .map(at -> words.text("state.opens_in", "time", span(Duration.between(now, at))))
        .orElseGet(() -> text("state." + state));
  }

  String stock(Fields product) {
    long left = product.number("remaining_stock", 0);
    String key = left > 0 ? "stock.left" : "stock.none";
    return words
        .text(key, "left", number(left))
        .replace("{total}", number(product.number("total_stock", 0)));
  }

  String price(Fields product) {
    return money(product.number("price", 0), product.text("currency"));
  }

  Locale locale() {
    return switch (words.language()) {
      case ZH_HANT -> Locale.TAIWAN;
      case ZH_HANS -> Locale.SIMPLIFIED_CHINESE;
      case EN -> Locale.ENGLISH;
    };
  }
}
