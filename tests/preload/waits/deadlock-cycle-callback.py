"""A message bus calls its subscribers back under its RLock, so that a callback may subscribe others. A session, which
has a lock of its own, closes and unsubscribes under it, while a message for it is on the way."""
# expect: deadlock-cycle error
# ends: never
# frames: publish on_message close unsubscribe
# pythons: all

import threading


class Bus:
    def __init__(self):
        self.lock = threading.RLock()
        self.subscribers = {}

    def subscribe(self, topic, callback):
        with self.lock:
            self.subscribers.setdefault(topic, []).append(callback)

    def unsubscribe(self, topic, callback):
        with self.lock:
            self.subscribers[topic].remove(callback)

    def publish(self, topic, message):
        with self.lock:
            for callback in list(self.subscribers.get(topic, ())):
                callback(message)


class Session:
    def __init__(self, bus, topic):
        self.bus, self.topic = bus, topic
        self.lock = threading.Lock()
        self.messages, self.open = [], True
        bus.subscribe(topic, self.on_message)

    def on_message(self, message):
        if message == "last":
            on_the_way.wait()
        with self.lock:
            if self.open:
                self.messages.append(message)

    def close(self):
        with self.lock:
            self.open = False
            on_the_way.wait()
            self.bus.unsubscribe(self.topic, self.on_message)


almost_sent, on_the_way = threading.Event(), threading.Barrier(2)


def send(bus):
    for number in range(100):
        bus.publish("prices", number)
    almost_sent.set()
    bus.publish("prices", "last")


if __name__ == "__main__":
    bus = Bus()
    session = Session(bus, "prices")
    sender = threading.Thread(target=send, args=(bus,), name="sender")
    sender.start()
    almost_sent.wait()
    session.close()
    sender.join()
    print(len(session.messages), "messages")
