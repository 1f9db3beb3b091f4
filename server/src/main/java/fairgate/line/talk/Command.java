package fairgate.line.talk;

import fairgate.kernel.ProductId;
import fairgate.platform.text.Language;
import org.jspecify.annotations.Nullable;

/// What a text, a location or a postback asks for.
sealed interface Command {
  record Help() implements Command {}

  record Sales() implements Command {}

  record Places() implements Command {}

  /// The way into a sale.
  record Enter(ProductId product) implements Command {}

  /// How to claim.
  record HowToClaim() implements Command {}

  /// An order number to claim by.
  ///
  /// @param product what was bought; null while nobody has said
  record Claim(String text, @Nullable String product) implements Command {}

  record ChooseLanguage() implements Command {}

  record Speak(Language language) implements Command {}

  record HowToAskWeather() implements Command {}

  record WeatherAt(double latitude, double longitude) implements Command {}

  record WeatherIn(String place) implements Command {}

  /// Something nobody said to the bot, or that it does not know.
  record Nothing() implements Command {}

  /// Whether answering asks somebody outside and may take a while.
  default boolean takesTime() {
    return switch (this) {
      case Claim _, WeatherAt _, WeatherIn _ -> true;
      case Help _,
          Sales _,
          Places _,
          Enter _,
          HowToClaim _,
          ChooseLanguage _,
          Speak _,
          HowToAskWeather _,
          Nothing _ ->
          false;
    };
  }

  /// Whether it is about the weather.
  default boolean isWeather() {
    return this instanceof WeatherAt || this instanceof WeatherIn;
  }
}
