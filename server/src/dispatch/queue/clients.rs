//! How many entries of a queue each client has, and who has the most.

use std::collections::HashMap;

/// The entries of each client. Adding, removing and asking for the greatest number take constant time.
#[derive(Debug, Default)]
pub struct Clients {
    entries: HashMap<u64, usize>,
    /// For each number of entries, starting with 1: how many clients have that number. The last one is not 0.
    clients: Vec<usize>,
}

impl Clients {
    /// Counts one more entry of a client. Returns how many it had.
    pub fn add(&mut self, client: u64) -> usize {
        let entries = self.entries.entry(client).or_default();
        *entries += 1;
        let now = *entries;
        if now > 1 {
            self.clients[now - 2] -= 1;
        }
        if now > self.clients.len() {
            self.clients.push(0);
        }
        self.clients[now - 1] += 1;
        now - 1
    }

    /// Counts one entry of a client less.
    pub fn remove(&mut self, client: u64) {
        let Some(entries) = self.entries.get_mut(&client) else { return };
        let before = *entries;
        *entries -= 1;
        if before == 1 {
            self.entries.remove(&client);
        } else {
            self.clients[before - 2] += 1;
        }
        self.clients[before - 1] -= 1;
        while self.clients.last() == Some(&0) {
            self.clients.pop();
        }
    }

    /// The client that has the most entries, unless `client` would have as many with one more. Of several, the one
    /// with the greatest number.
    pub fn greediest(&self, client: u64) -> Option<u64> {
        let most = self.clients.len();
        if most <= self.entries.get(&client).copied().unwrap_or(0) + 1 {
            return None;
        }
        self.entries.iter().filter(|(_, entries)| **entries == most).map(|(client, _)| *client).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greediest_client_is_known_after_every_change() {
        let mut clients = Clients::default();
        assert_eq!(clients.greediest(1), None);
        [1, 1, 1, 2, 2, 3].into_iter().for_each(|client| _ = clients.add(client));
        assert_eq!((clients.greediest(3), clients.greediest(2), clients.greediest(4)), (Some(1), None, Some(1)));
        clients.remove(1);
        assert_eq!(clients.greediest(4), Some(2), "two have as many");
        [1, 1, 2, 2, 3, 9].into_iter().for_each(|client| clients.remove(client));
        assert!(clients.entries.is_empty() && clients.clients.is_empty());
        clients.add(5);
        assert_eq!(clients.greediest(4), None, "one more would be as many");
    }
}
