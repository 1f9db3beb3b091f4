package fairgate.line.talk;

import fairgate.kernel.ServiceUnavailable;
import fairgate.line.api.Action;
import fairgate.line.api.LineMessage;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import fairgate.platform.text.Messages;
import fairgate.queue.QueueService;
import fairgate.sale.ProductRoutes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The bot's side of the conversation. Everything blocks; it is for virtual threads. A repeat with
/// the same words gives the same kind of answer and has no other effect than the first time.
public final class Talk implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Talk.class);
  private static final Duration WEATHER_LIMIT = Duration.ofSeconds(15);

  private final LanguageBook languages;
  private final LineClaims claims;
  private final UnaryOperator<String> claimant;
  private final SaleTalk sales;
  private final WeatherTalk weather;
  private final Runnable service;

  /// @param weatherUrl an Open-Meteo, or empty
  /// @param claimant gives a user the name he claims under
  public Talk(
      String weatherUrl,
      ProductRoutes products,
      QueueService queue,
      Bound bound,
      LanguageBook languages,
      LineClaims claims,
      UnaryOperator<String> claimant) {
    this.languages = languages;
    this.claims = claims;
    this.claimant = claimant;
    this.sales = new SaleTalk(products, queue, bound);
    if (weatherUrl.isEmpty()) {
      this.weather = new WeatherTalk(null);
      this.service = () -> {};
    } else {
      OpenMeteo meteo = new OpenMeteo(weatherUrl, WEATHER_LIMIT);
      this.weather = new WeatherTalk(meteo);
      this.service = meteo::close;
    }
  }

  /// The answer; at most five messages, none where there is nothing to say. Where something fails,
  /// the answer says so.
  public List<LineMessage> answer(Chat chat, Incoming incoming) {
    Language language = Languages.DEFAULT;
    try {
      language = languages.of(chat);
      return incoming instanceof Incoming.Turn(var product, var session)
          ? sales.turn(product, session, language).stream().toList()
          : answer(chat, incoming, Commands.of(chat, incoming), language);
    } catch (ServiceUnavailable e) {
      LOG.warn("the bot cannot answer now: {}", e.getMessage());
      return List.of(LineMessage.text(Messages.text(language, "error.SERVICE_UNAVAILABLE")));
    } catch (RuntimeException e) {
      LOG.error("the bot cannot answer", e);
      return List.of(LineMessage.text(Messages.text(language, "line.sorry")));
    }
  }

  /// What somebody is told whose last message is still worked on.
  public List<LineMessage> notice(Chat chat, Incoming incoming) {
    Language language = languages.of(chat);
    boolean weatherAsked = Commands.of(chat, incoming).isWeather();
    return List.of(
        LineMessage.text(
            Messages.text(language, weatherAsked ? "line.busy.weather" : "line.busy")));
  }

  /// Whether somebody asks the bot for something at all.
  public boolean concerns(Chat chat, Incoming incoming) {
    return switch (incoming) {
      case Incoming.Text _, Incoming.Post _ ->
          !(Commands.of(chat, incoming) instanceof Command.Nothing);
      case Incoming.Spot _ -> chat.isPrivate();
      case Incoming.Followed _, Incoming.Unfollowed _, Incoming.Invited _, Incoming.Turn _ -> true;
    };
  }

  /// Whether the answer may take a while.
  public boolean takesTime(Chat chat, Incoming incoming) {
    return Commands.of(chat, incoming).takesTime();
  }

  @Override
  public void close() {
    service.run();
  }

  private List<LineMessage> answer(
      Chat chat, Incoming incoming, Command command, Language language) {
    return switch (command) {
      case Command.Help _ -> List.of(help(incoming, language));
      case Command.Sales _ -> sales.sales(chat, language);
      case Command.Places _ -> List.of(sales.places(chat, language));
      case Command.Enter(var product) -> sales.enter(chat, product, language);
      case Command.HowToClaim _ -> List.of(said("line.claim.how", language));
      case Command.Claim claim -> List.of(claim(chat, claim, language));
      case Command.ChooseLanguage _ ->
          List.of(
              new LineMessage.Text(
                  Messages.text(language, "line.language.choose"), Menu.languages()));
      case Command.Speak(Language chosen) -> List.of(speak(chat, chosen));
      case Command.HowToAskWeather _ -> List.of(weather.how(language));
      case Command.WeatherAt(double latitude, double longitude) ->
          List.of(weather.at(latitude, longitude, language));
      case Command.WeatherIn(String place) -> List.of(weather.in(place, language));
      case Command.Nothing _ -> List.of();
    };
  }

  private static LineMessage help(Incoming incoming, Language language) {
    String key =
        incoming instanceof Incoming.Followed
            ? "line.greeting"
            : incoming instanceof Incoming.Invited ? "line.greeting.group" : "line.help";
    return said(key, language);
  }

  private static LineMessage said(String key, Language language) {
    return new LineMessage.Text(Messages.text(language, key), Menu.quick(language));
  }

  private LineMessage speak(Chat chat, Language chosen) {
    String user = chat.userId();
    if (user != null) {
      languages.choose(user, chosen);
    }
    return said("line.language.chosen", chosen);
  }

  private LineMessage claim(Chat chat, Command.Claim wish, Language language) {
    String user = chat.userId();
    // Codes are bearer money: they are never shown to a group.
    if (!chat.isPrivate() || user == null) {
      return LineMessage.text(Messages.text(language, "line.claim.private"));
    }
    LineClaims.Attempt attempt =
        new LineClaims.Attempt(wish.text(), wish.product(), claimant.apply(user));
    return switch (claims.claim(attempt, language)) {
      case LineClaimOutcome.Claimed(List<String> codes) -> {
        List<String> lines = new ArrayList<>();
        lines.add(Messages.text(language, "line.claim.done", codes.size()));
        lines.addAll(codes);
        yield LineMessage.text(String.join("\n", lines));
      }
      case LineClaimOutcome.WhichProduct(String order, var products) ->
          new LineMessage.Text(
              Messages.text(language, "line.claim.which", order),
              products.stream().map(one -> product(order, one)).toList());
      case LineClaimOutcome.Refused(String why) ->
          new LineMessage.Text(why, List.of(help(language)));
      case LineClaimOutcome.NotOffered() ->
          new LineMessage.Text(Messages.text(language, "line.claim.off"), List.of(help(language)));
    };
  }

  private static Action product(String order, LineClaimOutcome.Product one) {
    return new Action.Post(one.name(), "action=claim&product=" + one.id() + "&order=" + order);
  }

  private static Action help(Language language) {
    return Menu.post(language, "help");
  }
}
